// SPDX-License-Identifier: Apache-2.0
//
// Which part of a training step torch means by the name of a range. Pure. The
// injector and the observer share it, so that a range has one type wherever it
// is recorded.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class RangeKind : uint8_t {
  kOther,
  kStep,           // "ProfileStep#7": the program counts its steps itself
  kLoaderNext,     // "enumerate(DataLoader)#_SingleProcessDataLoaderIter..."
  kOptimizerStep,  // "Optimizer.step#SGD.step"
  kZeroGrad,       // "Optimizer.zero_grad#SGD.zero_grad"
  kCollective,     // "gloo:all_reduce", "nccl:broadcast"
};

// Of the ranges that torch opens by itself.
RangeKind KindOf(std::string_view name);

// The stepscope_event_type that such a range is recorded as.
uint32_t TypeOf(RangeKind kind);

}  // namespace stepscope
