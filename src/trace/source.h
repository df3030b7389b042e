// SPDX-License-Identifier: Apache-2.0
//
// Source: one input file of a Trace, and what is known about it as a whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/clock_map.h"
#include "trace/ledger.h"

namespace stepscope {

// The clock of a recording, for `stepscope info`.
struct ClockInfo {
  std::string source;  // "tsc", "cntvct", "monotonic", "" unknown
  uint64_t anchors = 0;
  int64_t worst_error_ns = 0;   // half the widest anchor bracket
  double ticks_per_second = 0;  // measured
  bool epoch_known = false;     // the epoch is UTC

  // Adds anchors, keeps the worst error; source and rate are the first's.
  void Merge(const ClockInfo& other) {
    if (source.empty()) source = other.source;
    if (ticks_per_second == 0) ticks_per_second = other.ticks_per_second;
    anchors += other.anchors;
    worst_error_ns = std::max(worst_error_ns, other.worst_error_ns);
  }
};

struct Source {
  std::string format;  // "capture", "kineto", ...
  std::string path;
  int64_t epoch_ns = 0;  // UTC of its own time 0, if clock.epoch_known
  ClockInfo clock;
  ClockMap to_trace;  // from its own times to those of the Trace
  Ledger ledger;
  bool complete = true;  // stopped, not killed; the file has its end
  std::vector<std::string> notes;

  bool IsNamed() const { return !format.empty() || !path.empty(); }
};

}  // namespace stepscope
