// SPDX-License-Identifier: Apache-2.0
//
// Calls of an nn.Module, as torch's profiler names them among the functions of
// Python: "nn.Module: Linear_0".
#pragma once

#include <stepscope/c.h>

#include <string_view>
#include <vector>

#include "analysis/event_tree.h"

namespace stepscope {

// "Linear_0"; empty: the name is of something else.
inline std::string_view ModuleIn(std::string_view name) {
  constexpr std::string_view kPrefix = "nn.Module: ";
  if (!name.starts_with(kPrefix)) return {};
  return name.substr(kPrefix.size());
}

// Which events of a trace they are. Refers to the tree.
class ModuleNames {
 public:
  explicit ModuleNames(const EventTree& tree) : tree_(tree) {
    const Trace& trace = tree.trace();
    for (uint32_t i = 0; i < trace.strings().size(); ++i) {
      if (ModuleIn(trace.str(StringId{i})).empty()) continue;
      if (is_module_.empty()) is_module_.resize(trace.strings().size());
      is_module_[i] = true;
    }
  }

  bool any() const { return !is_module_.empty(); }
  bool Has(StringId name, uint16_t type) const {
    return any() && type == STEPSCOPE_PYTHON_FUNCTION && is_module_[name.v];
  }
  bool Has(Row row) const {
    const Trace& trace = tree_.trace();
    return Has(trace.name()[row], trace.type()[row]);
  }
  // The innermost one that is the event or around it; kNoRow: none.
  Row Around(Row row) const {
    while (row != kNoRow && !Has(row)) row = tree_.parent(row);
    return row;
  }

 private:
  const EventTree& tree_;
  std::vector<bool> is_module_;  // by name; empty: there are none
};

}  // namespace stepscope
