// SPDX-License-Identifier: Apache-2.0
//
// Paddle's memory events state peaks of the process's life, which may lie
// before the recorded window. The largest of each place become metadata of the
// process, which every format keeps.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "trace/build/trace_builder.h"
#include "trace/stated_peaks.h"

namespace stepscope::importers {

inline void AddStatedPeaks(TraceBuilder& builder) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>> peaks;
  for (const MemoryEvent& event : builder.memory()) {
    if (event.peak_allocated == 0 && event.peak_reserved == 0) continue;
    auto& [allocated, reserved] =
        peaks[{builder.track(event.track).process, event.place.v}];
    allocated = std::max(allocated, event.peak_allocated);
    reserved = std::max(reserved, event.peak_reserved);
  }
  for (const auto& [at, peak] : peaks) {
    const std::string place(builder.strings().view(StringId{at.second}));
    const auto add = [&](std::string_view key, uint64_t bytes) {
      const std::pair entry = {builder.Intern(std::string(key) + place),
                               builder.Intern(std::to_string(bytes))};
      builder.process(at.first).metadata.push_back(entry);
    };
    add(kPeakAllocatedKey, peak.first);
    add(kPeakReservedKey, peak.second);
  }
}

}  // namespace stepscope::importers
