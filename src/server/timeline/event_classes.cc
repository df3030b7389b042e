// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/event_classes.h"

#include <stepscope/c.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/name_class.h"
#include "trace/event_type.h"

namespace stepscope::server {
namespace {

enum EventClass : uint8_t {
  kOther,
  kKernel,
  kCopy,
  kSet,
  kOperator,
  kRuntime,
  kUser,
  kCommunication,
  kPython,
  kStep,
  kDataloader,
  kForward,
  kBackward,
  kOptimizer,
  kSync,
  kOverhead,
};
constexpr std::string_view kNames[] = {
    "other",    "kernel",        "copy",   "set",     "operator",   "runtime",
    "user",     "communication", "python", "step",    "dataloader", "forward",
    "backward", "optimizer",     "sync",   "overhead"};
static_assert(std::size(kNames) == kOverhead + 1);

uint8_t ByType(uint16_t type) {
  switch (type) {
    case STEPSCOPE_OPERATOR:
    case STEPSCOPE_OPERATOR_INNER:
    case STEPSCOPE_PYTHON_OP:
    case kDygraphKernelLaunch:
    case kStaticKernelLaunch:
      return kOperator;
    case STEPSCOPE_DATALOADER:
      return kDataloader;
    case STEPSCOPE_PROFILE_STEP:
      return kStep;
    case STEPSCOPE_CUDA_RUNTIME:
    case STEPSCOPE_GRAPH_LAUNCH:
      return kRuntime;
    case STEPSCOPE_KERNEL:
      return kKernel;
    case STEPSCOPE_MEMCPY:
      return kCopy;
    case STEPSCOPE_MEMSET:
      return kSet;
    case STEPSCOPE_USER_DEFINED:
    case STEPSCOPE_PYTHON_USER_DEFINED:
      return kUser;
    case STEPSCOPE_FORWARD:
      return kForward;
    case STEPSCOPE_BACKWARD:
      return kBackward;
    case STEPSCOPE_OPTIMIZATION:
      return kOptimizer;
    case STEPSCOPE_COMMUNICATION:
      return kCommunication;
    case STEPSCOPE_PYTHON_FUNCTION:
      return kPython;
    case STEPSCOPE_SYNCHRONIZATION:
      return kSync;
    case STEPSCOPE_OVERHEAD:
      return kOverhead;
    default:
      return kOther;
  }
}

PyramidClasses ClassesByType() {
  PyramidClasses classes;
  for (uint16_t type = 0; type < classes.of_type.size(); ++type)
    classes.of_type[type] = ByType(type);
  return classes;
}

}  // namespace

std::span<const std::string_view> EventClassNames() { return kNames; }

std::optional<PyramidClasses> EventClassesFrom(std::vector<uint8_t> of_name,
                                               const Trace& trace) {
  const auto known = [](uint8_t of) {
    return of < std::size(kNames) || of == PyramidClasses::kByType;
  };
  if ((!of_name.empty() && of_name.size() != trace.strings().size()) ||
      !std::all_of(of_name.begin(), of_name.end(), known))
    return std::nullopt;
  PyramidClasses classes = ClassesByType();
  classes.of_name = std::move(of_name);
  return classes;
}

PyramidClasses MakeEventClasses(const Trace& trace) {
  PyramidClasses classes = ClassesByType();
  std::vector<bool> seen(trace.strings().size(), false);
  for (Row row = 0; row < trace.size(); ++row) {
    const StringId name = trace.name()[row];
    if (trace.type()[row] != STEPSCOPE_KERNEL || seen[name.v]) continue;
    seen[name.v] = true;
    if (!IsCollectiveKernel(trace.str(name))) continue;
    if (classes.of_name.empty())
      classes.of_name.assign(seen.size(), PyramidClasses::kByType);
    classes.of_name[name.v] = kCommunication;
  }
  return classes;
}

}  // namespace stepscope::server
