// SPDX-License-Identifier: Apache-2.0
//
// AutogradNames: which events show that torch evaluates the graph of the
// backward pass. They are traces of a pass, not marks that somebody set around
// it, whatever their type: a pass has thousands of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"

namespace stepscope {

// "autograd::engine::evaluate_function: AddmmBackward0": the engine's range
// around a node of the graph.
bool IsAutogradRange(std::string_view name);
// The node itself: AddmmBackward0, torch::autograd::AccumulateGrad. torch 1.8
// to 1.10 recorded nothing else.
bool IsAutogradNode(std::string_view name);

// Thread-safe once made.
class AutogradNames {
 public:
  explicit AutogradNames(const EventTree& tree);

  bool any() const { return any_; }
  bool Has(const Trace& trace, Row row) const;

 private:
  bool any_ = false;
  // Set by name. Operators may be named so, and events of type Backward, which
  // are a mark unless torch itself recorded them.
  std::vector<bool> operators_;
  std::vector<bool> backward_;
};

}  // namespace stepscope
