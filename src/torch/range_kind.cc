// SPDX-License-Identifier: Apache-2.0
#include "torch/range_kind.h"

#include <stepscope/c.h>

namespace stepscope {
namespace {

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

}  // namespace

RangeKind KindOf(std::string_view name) {
  if (StartsWith(name, "ProfileStep#")) return RangeKind::kStep;
  if (StartsWith(name, "enumerate(DataLoader)#")) return RangeKind::kLoaderNext;
  if (StartsWith(name, "Optimizer.step#")) return RangeKind::kOptimizerStep;
  if (StartsWith(name, "Optimizer.zero_grad#")) return RangeKind::kZeroGrad;
  for (const std::string_view backend :
       {"nccl:", "gloo:", "mpi:", "ucc:", "xccl:", "hccl:"})
    if (StartsWith(name, backend)) return RangeKind::kCollective;
  return RangeKind::kOther;
}

uint32_t TypeOf(RangeKind kind) {
  switch (kind) {
    case RangeKind::kStep:
      return STEPSCOPE_PROFILE_STEP;
    case RangeKind::kLoaderNext:
      return STEPSCOPE_DATALOADER;
    case RangeKind::kOptimizerStep:
    case RangeKind::kZeroGrad:
      return STEPSCOPE_OPTIMIZATION;
    case RangeKind::kCollective:
      return STEPSCOPE_COMMUNICATION;
    case RangeKind::kOther:
      break;
  }
  return STEPSCOPE_USER_DEFINED;
}

}  // namespace stepscope
