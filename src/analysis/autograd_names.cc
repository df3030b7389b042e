// SPDX-License-Identifier: Apache-2.0
#include "analysis/autograd_names.h"

#include "analysis/kinds.h"

namespace stepscope {

bool IsAutogradRange(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function: ");
}

bool IsAutogradNode(std::string_view name) {
  if (name.starts_with("torch::autograd::AccumulateGrad")) return true;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9')
    name.remove_suffix(1);
  constexpr std::string_view kEnd = "Backward";
  return name.size() > kEnd.size() && name.ends_with(kEnd) &&
         name.find(' ') == name.npos;
}

AutogradNames::AutogradNames(const EventTree& tree) {
  const Trace& trace = tree.trace();
  const auto count = static_cast<uint32_t>(trace.strings().size());
  constexpr TypeSet kOperator = SetOf(STEPSCOPE_OPERATOR);
  constexpr TypeSet kBackward = SetOf(STEPSCOPE_BACKWARD);
  std::vector<uint32_t> nodes;  // of type Backward
  const auto add = [&](std::vector<bool>& set, uint32_t name) {
    if (set.empty()) set.resize(count);
    set[name] = true;
    any_ = true;
  };
  for (uint32_t i = 0; i < count; ++i) {
    const TypeSet types = tree.census().host_types(StringId{i});
    if ((types & (kOperator | kBackward)) == 0) continue;
    const std::string_view name = trace.str(StringId{i});
    const bool range = IsAutogradRange(name);
    if (!range && !IsAutogradNode(name)) continue;
    if ((types & kOperator) != 0) add(operators_, i);
    if ((types & kBackward) == 0) continue;
    if (range)
      add(backward_, i);
    else
      nodes.push_back(i);
  }
  // A mark may be named like a node, unless the engine was recorded too.
  if (backward_.empty()) return;
  for (const uint32_t name : nodes) add(backward_, name);
}

bool AutogradNames::Has(const Trace& trace, Row row) const {
  const uint16_t type = trace.type()[row];
  const uint32_t name = trace.name()[row].v;
  if (type == STEPSCOPE_OPERATOR)
    return !operators_.empty() && operators_[name];
  return type == STEPSCOPE_BACKWARD && !backward_.empty() && backward_[name];
}

}  // namespace stepscope
