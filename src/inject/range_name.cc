// SPDX-License-Identifier: Apache-2.0
#include "inject/range_name.h"

#include <stepscope/c.h>

namespace stepscope::inject {
namespace {

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

}  // namespace

// Greedy with one point of return, the last star: linear in practice, and
// never worse than pattern times name.
bool Matches(std::string_view pattern, std::string_view name) {
  size_t p = 0;
  size_t n = 0;
  size_t star = pattern.npos;
  size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

RangeKind KindOf(std::string_view name) {
  if (StartsWith(name, "ProfileStep#")) return RangeKind::kStep;
  if (StartsWith(name, "enumerate(DataLoader)#"))
    return RangeKind::kLoaderNext;
  if (StartsWith(name, "Optimizer.step#")) return RangeKind::kOptimizerStep;
  if (StartsWith(name, "Optimizer.zero_grad#")) return RangeKind::kZeroGrad;
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
    case RangeKind::kOther:
      break;
  }
  return STEPSCOPE_USER_DEFINED;
}

}  // namespace stepscope::inject
