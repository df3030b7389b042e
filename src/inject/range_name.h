// SPDX-License-Identifier: Apache-2.0
//
// What the name of a range says: whether it matches a pattern of the command
// line, and which part of a training step torch means by it. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope::inject {

// "*" stands for any characters, also none; all others for themselves.
bool Matches(std::string_view pattern, std::string_view name);

enum class RangeKind : uint8_t {
  kOther,
  kStep,           // "ProfileStep#7": the program counts its steps itself
  kLoaderNext,     // "enumerate(DataLoader)#_SingleProcessDataLoaderIter..."
  kOptimizerStep,  // "Optimizer.step#SGD.step"
  kZeroGrad,       // "Optimizer.zero_grad#SGD.zero_grad"
};

// Of the annotations that torch makes by itself.
RangeKind KindOf(std::string_view name);

// The stepscope_event_type that such a range is recorded as.
uint32_t TypeOf(RangeKind kind);

}  // namespace stepscope::inject
