// SPDX-License-Identifier: Apache-2.0
//
// One event of a file of Paddle, and what its times leave open: paddle_times.h.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "trace/trace.h"

namespace stepscope::json {

struct PaddleStated {
  Row row = kNoRow;
  uint32_t track = 0;
  int64_t ts_ns = 0;   // rounded down to the microsecond
  int64_t own_ns = 0;  // from the earliest event on, single precision
  int64_t dur_ns = 0;
  bool is_call = false;   // of a device's API; stands behind its event
  bool is_exact = false;  // ts_ns has nanoseconds and stays
  // "add infer_meta" lies in an "add dygraph", and rarely twice in one, where
  // times leave a choice. `word` is the first of the name.
  StringId name;
  StringId word;
};

// At most so far is a number of single precision off, with three decimals.
inline int64_t PaddleRounding(int64_t value_ns) {
  return std::abs(value_ns) / (int64_t{1} << 24) + 1;
}

struct PaddleEvent {
  static constexpr uint32_t kNone = UINT32_MAX;       // no event
  static constexpr uint32_t kApart = UINT32_MAX - 1;  // overlaps, stays there

  PaddleStated stated;
  int64_t start_ns = 0;
  int64_t low_ns = 0;  // it starts between these
  int64_t high_ns = 0;
  int64_t dur_ns = 0;
  int64_t inside_ns = 0;    // durations of what lies in it
  uint32_t parent = kNone;  // comes before it

  int64_t end_ns() const { return start_ns + dur_ns; }
  // Durations are exact as long as their nanoseconds are.
  int64_t rounding() const {
    return dur_ns < int64_t{1} << 24 ? 0 : PaddleRounding(dur_ns);
  }
  bool MayFollow(const PaddleEvent& before) const {
    return high_ns + before.rounding() >= before.low_ns + before.dur_ns;
  }
  // In how many places it may lie in the other; at most 0: it cannot.
  int64_t RoomIn(const PaddleEvent& around) const;
};

using PaddleEvents = std::vector<PaddleEvent>;

}  // namespace stepscope::json
