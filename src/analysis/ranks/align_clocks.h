// SPDX-License-Identifier: Apache-2.0
//
// One clock for ranks that met in collectives. All leave a collective of the
// kinds of LeavesTogether() at about the same time, so each clock gets the
// line (offset and drift) that lays the ends of its calls upon those of the
// others. Outliers lose their weight, and a few calls close together do not
// tilt a clock. That nobody leaves before the last has arrived is not used to
// find the lines but to check them: where it is broken, the stated error
// grows until it is not.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/ranks/match_calls.h"
#include "trace/clock_map.h"

namespace stepscope {

enum class ClockMethod : uint8_t {
  kReference,    // the reference clock
  kCollectives,  // by collectives, as above
  kSameClock,    // shares a clock with another: one machine, as recorded
  kEpoch,        // by the absolute time that the recording states
  kAssumed,      // states none; laid where the first of the others begins
  kAlone,        // there is nothing to lay it beside
  kRpc,          // by requests that another handled; see rpc_pairs.h
};
// Whether that moved it from where its recording says it lies.
constexpr bool IsFoundByEvents(ClockMethod method) {
  return method == ClockMethod::kCollectives || method == ClockMethod::kRpc;
}
// "collectives", ...
std::string_view ClockMethodName(ClockMethod method);

// What is known about a clock before.
struct ClockPrior {
  ClockMap to_set;
  bool epoch_known = false;
  // Recordings of one machine by one counter have the same number, and lie
  // right beside each other within `error_ns`; negative: none.
  int64_t shared = -1;
  int64_t error_ns = 0;
};

struct AlignedClock {
  ClockMap to_set;
  ClockMethod method = ClockMethod::kAlone;
  uint64_t collectives = 0;  // that it was found by
  int64_t center_ns = 0;     // of its own times; where the error is least
  int64_t offset_ns = 0;     // at the centre: new place less the prior one
  double drift_ppm = 0;      // against the reference
  // At a time t the error is at most error_ns + |t - center_ns| *
  // error_ppm / 1e6, in 95 of 100 cases. Negative: not known.
  int64_t error_ns = -1;
  double error_ppm = 0;

  int64_t ErrorAt(int64_t time_ns) const;
};

// By clock. `ranks` refer to clocks by MatchInput::clock.
std::vector<AlignedClock> AlignClocks(std::span<const ClockPrior> clocks,
                                      std::span<const MatchInput> ranks,
                                      const MatchedCalls& matched);

}  // namespace stepscope
