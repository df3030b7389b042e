// SPDX-License-Identifier: Apache-2.0
//
// What was live when most was allocated, by who made it, from which line and
// for what. Adds up to the peak, to the byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

struct HeldRow {
  std::string_view owner;
  std::string_view line;
  std::string_view category;
  int64_t bytes = 0;
  uint64_t allocations = 0;
};

struct PeakOfDevice {
  std::string_view device;  // "gpu:0"
  std::string process;      // as NameAmongSeveral() has it
  int64_t allocated_bytes = 0;
  int64_t reserved_bytes = 0;
  std::vector<HeldRow> live;         // by size
  std::vector<PeakOfDevice> others;  // of the first: those that held less
};

// Of each process; the device that held most first. Texts live as long as the
// trace.
std::vector<PeakOfDevice> ComputeMemoryPeaks(const Trace& trace);

}  // namespace stepscope
