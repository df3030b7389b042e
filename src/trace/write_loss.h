// SPDX-License-Identifier: Apache-2.0
//
// Events that a recorder could not write into its file, most often because the
// disk was full.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

// How a ThreadReport calls them, among what was dropped.
inline constexpr std::string_view kDroppedByWrite = "io";

struct WriteLoss {
  uint64_t dropped = 0;
  uint64_t recorded = 0;
  int error = 0;  // errno of the recorder's machine; 0: not stated

  bool any() const { return dropped > 0 || error != 0; }
};

// Of all threads of the trace.
WriteLoss FindWriteLoss(const Trace& trace);

// "disk full, 33,807 events dropped (44 %)"
std::string WriteLossText(const WriteLoss& loss);

}  // namespace stepscope
