// SPDX-License-Identifier: Apache-2.0
#include "trace/event_type.h"

#include <stepscope/c.h>
#include <strings.h>

#include "trace/request_events.h"

namespace stepscope {
namespace {

struct TypeName {
  uint16_t type;
  std::string_view name;
};
constexpr TypeName kTypes[] = {
    {STEPSCOPE_OPERATOR, "Operator"},
    {STEPSCOPE_DATALOADER, "Dataloader"},
    {STEPSCOPE_PROFILE_STEP, "ProfileStep"},
    {STEPSCOPE_CUDA_RUNTIME, "CudaRuntime"},
    {STEPSCOPE_KERNEL, "Kernel"},
    {STEPSCOPE_MEMCPY, "Memcpy"},
    {STEPSCOPE_MEMSET, "Memset"},
    {STEPSCOPE_USER_DEFINED, "UserDefined"},
    {STEPSCOPE_OPERATOR_INNER, "OperatorInner"},
    {STEPSCOPE_FORWARD, "Forward"},
    {STEPSCOPE_BACKWARD, "Backward"},
    {STEPSCOPE_OPTIMIZATION, "Optimization"},
    {STEPSCOPE_COMMUNICATION, "Communication"},
    {STEPSCOPE_PYTHON_OP, "PythonOp"},
    {STEPSCOPE_PYTHON_USER_DEFINED, "PythonUserDefined"},
    {kDygraphKernelLaunch, "DygraphKernelLaunch"},
    {kStaticKernelLaunch, "StaticKernelLaunch"},
    {STEPSCOPE_PYTHON_FUNCTION, "PythonFunction"},
    {STEPSCOPE_SYNCHRONIZATION, "Synchronization"},
    {STEPSCOPE_OVERHEAD, "Overhead"},
    {STEPSCOPE_GRAPH_LAUNCH, "GraphLaunch"},
    {kRequestType, "Request"},
};

}  // namespace

std::string_view EventTypeName(uint16_t type) {
  for (const TypeName& entry : kTypes)
    if (entry.type == type) return entry.name;
  return {};
}

std::optional<uint16_t> EventTypeByName(std::string_view name) {
  for (const TypeName& entry : kTypes) {
    if (entry.name.size() == name.size() &&
        strncasecmp(entry.name.data(), name.data(), name.size()) == 0)
      return entry.type;
  }
  return std::nullopt;
}

}  // namespace stepscope
