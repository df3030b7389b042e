// SPDX-License-Identifier: Apache-2.0
//
// Zero points of the two ways in which a file states time, and its end.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/trace.h"

namespace stepscope::chrome {

struct TimeBase {
  int64_t ts_ns = 0;    // of "ts": the earliest of everything
  int64_t host_ns = 0;  // of "start_time": the earliest event of any thread
  int64_t last_ns = 0;  // nothing starts later
};

TimeBase FindTimeBase(const Trace& trace);

// Where "start_time" is 0 in a file for VisualDL: the earliest event of a type
// that it takes for a host's. It looks for one at zero. Nothing: there is none.
std::optional<int64_t> FindPaddleZero(const Trace& trace);

// Damaged input may hold any time: these wrap instead of overflowing.
inline int64_t Plus(int64_t time_ns, int64_t dur_ns) {
  return static_cast<int64_t>(static_cast<uint64_t>(time_ns) +
                              static_cast<uint64_t>(dur_ns));
}
inline int64_t Since(int64_t time_ns, int64_t base_ns) {
  return static_cast<int64_t>(static_cast<uint64_t>(time_ns) -
                              static_cast<uint64_t>(base_ns));
}

}  // namespace stepscope::chrome
