// SPDX-License-Identifier: Apache-2.0
//
// ModuleCalls: the calls of an nn.Module, or of a range that the program
// marked, and which memory events belong to one.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"

namespace stepscope {

struct ModuleCall {
  Row row = kNoRow;
  uint32_t process = 0;
  Interval when;
};

class ModuleCalls {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  // `name`: "Linear_0", or "Linear" for all of that class, or a pattern.
  // A call inside another one that matches is part of that. Refers to the tree.
  ModuleCalls(const EventTree& tree, std::string_view name);

  std::span<const ModuleCall> calls() const { return calls_; }
  // The call in which memory was allocated, by who allocated it or, where that
  // is a stack, by time; kNone.
  uint32_t CallOf(const MemoryEvent& event) const;

 private:
  uint32_t FindOn(uint32_t thread, int64_t time_ns) const;

  const EventTree& tree_;
  std::vector<ModuleCall> calls_;
  std::map<uint32_t, std::vector<uint32_t>> of_thread_;  // by time
};

}  // namespace stepscope
