// SPDX-License-Identifier: Apache-2.0
//
// Kinds of records as Paddle's TracerEventType.
#pragma once

#include <cstdint>

#include "generator/workload.h"

namespace stepscope::generator {

struct PaddleTypeOf {
  uint32_t type;
  const char* name;
};

inline PaddleTypeOf PaddleType(Kind kind) {
  switch (kind) {
    case Kind::kStep:
      return {2, "ProfileStep"};
    case Kind::kDataloader:
      return {1, "Dataloader"};
    case Kind::kForward:
      return {9, "Forward"};
    case Kind::kBackward:
      return {10, "Backward"};
    case Kind::kOptimizer:
      return {11, "Optimization"};
    case Kind::kInner:
      return {8, "OperatorInner"};
    case Kind::kLaunch:
      return {3, "CudaRuntime"};
    case Kind::kKernel:
      return {4, "Kernel"};
    case Kind::kMemcpy:
      return {5, "Memcpy"};
    case Kind::kMemset:
      return {6, "Memset"};
    default:
      return {0, "Operator"};
  }
}

// On the row "(Python)" of its thread.
inline bool IsPython(Kind kind) {
  return kind == Kind::kStep || kind == Kind::kDataloader ||
         kind == Kind::kForward || kind == Kind::kBackward ||
         kind == Kind::kOptimizer;
}

}  // namespace stepscope::generator
