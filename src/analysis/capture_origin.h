// SPDX-License-Identifier: Apache-2.0
//
// CaptureOrigins: what the work that a graph replays was captured in
// (trace/captured_in.h), of all device work of a trace.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/launches.h"
#include "trace/trace.h"

namespace stepscope {

// A host event that was open when a call was captured.
struct CapturedIn {
  StringId name;
  uint16_t type = 0;
  // The same wherever the same event is meant, in one process.
  uint32_t number = 0;
};

class CaptureOrigins {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  CaptureOrigins() = default;
  // Sets `origin` of the work.
  CaptureOrigins(const Trace& trace, std::span<DeviceWork> work);

  bool empty() const { return paths_.empty(); }
  // Innermost first; empty where nothing is known.
  std::span<const CapturedIn> of(const DeviceWork& work) const {
    if (work.origin == kNone) return {};
    const auto [first, count] = paths_[work.origin];
    return std::span(events_).subspan(first, count);
  }

 private:
  std::vector<CapturedIn> events_;
  std::vector<std::pair<size_t, size_t>> paths_;  // in events_: first, count
};

}  // namespace stepscope
