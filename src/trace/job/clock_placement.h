// SPDX-License-Identifier: Apache-2.0
//
// One clock for several recordings: the only place that decides how times of
// different files lie beside each other. Recordings that state absolute time
// are aligned by it. One that states none beside others that do begins where
// the first of them begins: its own zero would be 1970. Where nobody states
// any, every recording keeps its own times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/clock_map.h"

namespace stepscope {

// Time 0 of a recording. `known`: epoch_ns is UTC.
struct Epoch {
  int64_t ns = 0;
  bool known = false;
};

// From times of one epoch to times of another. The identity unless both are
// known and not absurdly far apart.
ClockMap MapBetween(const Epoch& from, const Epoch& to);

struct ClockFacts {
  Epoch epoch;
  std::optional<int64_t> first_ns;  // the earliest time, if there is any
};
struct PlacedClock {
  Epoch epoch;           // where its time 0 belongs
  bool assumed = false;  // it stated none
};
// By recording, in the same order.
std::vector<PlacedClock> PlaceClocks(std::span<const ClockFacts> recordings);

}  // namespace stepscope
