// SPDX-License-Identifier: Apache-2.0
//
// What the timeline colours an event by: one of a few classes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace stepscope::server {

// Names of the classes, by their number; at most 32.
std::span<const std::string_view> EventClassNames();

// The class of every event of a trace. Thread-safe once made.
class EventClasses {
 public:
  explicit EventClasses(const Trace& trace);

  uint8_t Of(uint16_t type, StringId name) const;

 private:
  std::vector<bool> collective_;  // by name: a kernel that communicates
};

}  // namespace stepscope::server
