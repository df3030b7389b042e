// SPDX-License-Identifier: Apache-2.0
#include "importers/categories.h"

#include <stepscope/c.h>

#include <algorithm>

#include "trace/event_type.h"

namespace stepscope::importers {
namespace {

constexpr TrackPlace kHost = TrackPlace::kHost;
constexpr TrackPlace kStream = TrackPlace::kStream;
constexpr TrackPlace kAside = TrackPlace::kAside;
constexpr Dialect kKineto = Dialect::kKineto;

constexpr Category kCategories[] = {
    // torch.profiler since 1.11
    {"cpu_op", STEPSCOPE_OPERATOR, kHost, kKineto},
    {"user_annotation", STEPSCOPE_USER_DEFINED, kHost, kKineto},
    {"gpu_user_annotation", STEPSCOPE_USER_DEFINED, kAside, kKineto},
    {"kernel", STEPSCOPE_KERNEL, kStream, kKineto},
    {"gpu_memcpy", STEPSCOPE_MEMCPY, kStream, kKineto},
    {"gpu_memset", STEPSCOPE_MEMSET, kStream, kKineto},
    {"cuda_runtime", STEPSCOPE_CUDA_RUNTIME, kHost, kKineto},
    {"cuda_driver", STEPSCOPE_CUDA_RUNTIME, kHost, kKineto},
    {"xpu_runtime", STEPSCOPE_CUDA_RUNTIME, kHost, kKineto},
    {"xpu_driver", STEPSCOPE_CUDA_RUNTIME, kHost, kKineto},
    {"mtia_runtime", STEPSCOPE_CUDA_RUNTIME, kHost, kKineto},
    {"glow_runtime", STEPSCOPE_CUDA_RUNTIME, kHost, kKineto},
    {"privateuse1_runtime", STEPSCOPE_CUDA_RUNTIME, kHost, kKineto},
    {"privateuse1_driver", STEPSCOPE_CUDA_RUNTIME, kHost, kKineto},
    {"python_function", STEPSCOPE_PYTHON_FUNCTION, kHost, kKineto},
    {"cuda_sync", STEPSCOPE_SYNCHRONIZATION, kAside, kKineto},
    {"xpu_sync", STEPSCOPE_SYNCHRONIZATION, kAside, kKineto},
    {"cuda_event", STEPSCOPE_SYNCHRONIZATION, kAside, kKineto},
    {"overhead", STEPSCOPE_OVERHEAD, kAside, kKineto},
    {"collective_comm", STEPSCOPE_COMMUNICATION, kAside, kKineto},
    {"mtia_ccp_events", STEPSCOPE_KERNEL, kStream, kKineto},
    {"mtia_insight", STEPSCOPE_USER_DEFINED, kAside, kKineto},
    {"hpu_op", STEPSCOPE_OPERATOR, kHost, kKineto},
    {"cpu_instant_event", STEPSCOPE_USER_DEFINED, kHost, kKineto},
    {"external_correlation", STEPSCOPE_USER_DEFINED, kAside, kKineto},
    {"Trace", STEPSCOPE_USER_DEFINED, kAside, kKineto},
    // 1.8 to 1.10; Operator, Kernel, Memcpy and Memset are Paddle's words too
    {"Runtime", STEPSCOPE_CUDA_RUNTIME, kHost, kKineto},
    {"Kernel", STEPSCOPE_KERNEL, kStream, Dialect::kChrome},
    {"Memcpy", STEPSCOPE_MEMCPY, kStream, Dialect::kChrome},
    {"Memset", STEPSCOPE_MEMSET, kStream, Dialect::kChrome},
    // TensorFlow's timeline
    {"Op", STEPSCOPE_OPERATOR, kHost, Dialect::kChrome},
};

}  // namespace

Category FindCategory(std::string_view name) {
  // Our files for VisualDL hide what it cannot read by this.
  constexpr std::string_view kOutside = " outside steps";
  if (name.ends_with(kOutside)) name.remove_suffix(kOutside.size());
  const auto* const known =
      std::find_if(std::begin(kCategories), std::end(kCategories),
                   [&](const Category& entry) { return entry.name == name; });
  if (known != std::end(kCategories)) return *known;
  const uint16_t type = EventTypeByName(name).value_or(STEPSCOPE_USER_DEFINED);
  return {{}, type, kHost, Dialect::kChrome, name.empty()};
}

NameKind KindOfName(std::string_view name) {
  const auto starts = [&](std::string_view prefix) {
    return name.starts_with(prefix);
  };
  if (starts("ProfilerStep#") || starts("ProfileStep#")) return NameKind::kStep;
  if (starts("enumerate(DataLoader)#")) return NameKind::kDataLoader;
  if (starts("Optimizer.step#")) return NameKind::kOptimizer;
  if (starts("Optimizer.zero_grad#")) return NameKind::kZeroGrad;
  if (starts("nccl:") || starts("gloo:") || starts("mpi:") || starts("xccl:"))
    return NameKind::kCollective;
  if (name == "cudaGraphLaunch" || name == "cuGraphLaunch" ||
      name == "hipGraphLaunch")
    return NameKind::kGraphLaunch;
  if (starts("$")) return NameKind::kPythonFrame;
  return NameKind::kPlain;
}

TypeAndFlags TypeOf(const Category& category, NameKind name) {
  const bool range = category.row == TrackPlace::kHost &&
                     (category.type == STEPSCOPE_OPERATOR ||
                      category.type == STEPSCOPE_USER_DEFINED);
  switch (name) {
    case NameKind::kStep:
      if (range) return {STEPSCOPE_PROFILE_STEP, 0};
      break;
    case NameKind::kDataLoader:
      if (range) return {STEPSCOPE_DATALOADER, kEventInferred};
      break;
    case NameKind::kOptimizer:
      if (range) return {STEPSCOPE_OPTIMIZATION, kEventInferred};
      break;
    case NameKind::kZeroGrad:
      // torch 1.8 to 1.10 called all its ranges operators.
      if (range) return {STEPSCOPE_USER_DEFINED, 0};
      break;
    case NameKind::kCollective:
      if (range) return {STEPSCOPE_COMMUNICATION, 0};
      break;
    case NameKind::kGraphLaunch:
      if (category.type == STEPSCOPE_CUDA_RUNTIME)
        return {STEPSCOPE_GRAPH_LAUNCH, 0};
      break;
    case NameKind::kPythonFrame:
      // Their files have no categories; those of others may use the sign.
      if (category.unstated) return {STEPSCOPE_PYTHON_FUNCTION, 0};
      break;
    case NameKind::kPlain:
      break;
  }
  return {category.type, 0};
}

}  // namespace stepscope::importers
