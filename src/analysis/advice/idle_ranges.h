// SPDX-License-Identifier: Apache-2.0
//
// Where the host was while no device of its process worked: idle time by the
// range around it, so that a finding can name the code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/advice/rules.h"

namespace stepscope {

struct IdleRange {
  std::string name;      // of the range, or words for a group of them
  Row example = kNoRow;  // the one that held the device up longest
  uint64_t calls = 0;    // ranges with idle time
  int64_t idle_ns = 0;   // in all steps
  int64_t longest_ns = 0;
};

struct IdleRanges {
  std::vector<IdleRange> ranges;  // by idle time
  int64_t idle_ns = 0;            // all; less of it is in ranges
};

// Ranges are the outermost ones within a step that do not take most of it, of
// the stepping thread first, then of the other threads for the time that it
// had none. What is left belongs to longer ranges.
IdleRanges FindIdleRanges(const AdviceInput& input);

}  // namespace stepscope
