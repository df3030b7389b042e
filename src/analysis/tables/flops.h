// SPDX-License-Identifier: Apache-2.0
//
// FLOPs table: floating-point operations by operator, where shapes were
// recorded, and how fast they were done.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"

namespace stepscope {

struct FlopsRow {
  std::string_view name;
  StringId id;
  uint64_t calls = 0;          // of operators with a rule, not inside another
  uint64_t counted_calls = 0;  // of these, with shapes known well enough
  int64_t flops = 0;           // of the counted calls
  // Time of the counted calls: of the device work that they launched, or of
  // the calls themselves where they launched none.
  int64_t time_ns = 0;
  bool on_device = false;
  double tflops_per_s() const {
    return time_ns > 0
               ? static_cast<double>(flops) / static_cast<double>(time_ns) / 1e3
               : 0;
  }
};

struct FlopsTable {
  std::vector<FlopsRow> rows;  // by FLOPs
  // Of outermost operators with a rule: conv2d calls convolution, which must
  // not count twice.
  int64_t total_flops = 0;
};

FlopsTable ComputeFlops(const EventTree& tree);

}  // namespace stepscope
