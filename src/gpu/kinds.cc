// SPDX-License-Identifier: Apache-2.0
#include "gpu/kinds.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace stepscope::gpu {
namespace {

constexpr Kind kKinds[] = {
    {"kernel", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, true, false},
    {"memcpy", CUPTI_ACTIVITY_KIND_MEMCPY, true, false},
    {"memset", CUPTI_ACTIVITY_KIND_MEMSET, true, false},
    {"peer", CUPTI_ACTIVITY_KIND_MEMCPY2, false, false},
    {"graph", CUPTI_ACTIVITY_KIND_GRAPH_TRACE, false, false},
    {"runtime", CUPTI_ACTIVITY_KIND_RUNTIME, false, false},
    {"sync", CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, false, false},
    {"event", CUPTI_ACTIVITY_KIND_CUDA_EVENT, false, false},
    {"memory", CUPTI_ACTIVITY_KIND_MEMORY2, false, false},
    {"pool", CUPTI_ACTIVITY_KIND_MEMORY_POOL, false, false},
    {"overhead", CUPTI_ACTIVITY_KIND_OVERHEAD, false, false},
    {"device", CUPTI_ACTIVITY_KIND_DEVICE, false, true},
};
constexpr const char* kDriver = "driver";

// More calls than CUDA has; the library says where its list ends.
constexpr uint32_t kMaxCalls = 2048;

bool StartsWith(const char* text, const char* with) {
  return std::strncmp(text, with, std::strlen(with)) == 0;
}

// Whether `name` is in the comma-separated `list`; an empty list has all.
bool Listed(const char* list, const char* name) {
  if (list == nullptr || list[0] == '\0') return true;
  const size_t length = std::strlen(name);
  for (const char* at = list; *at != '\0';) {
    const size_t word = std::strcspn(at, ",");
    if (word == length && std::strncmp(at, name, length) == 0) return true;
    at += word + (at[word] == ',' ? 1 : 0);
  }
  return false;
}

bool EnvironmentIs(const char* variable, const char* value) {
  const char* text = std::getenv(variable);
  return text != nullptr && std::strcmp(text, value) == 0;
}

}  // namespace

bool IsNoiseCall(const char* name) {
  for (const char* start :
       {"cudaGet", "cudaSetDevice_", "cudaPeek", "cudaDeviceGet",
        "cudaFuncGet", "cudaFuncSetAttribute", "cudaOccupancy",
        "cudaStreamGet", "cudaStreamIsCapturing", "cudaPointerGet",
        "cudaEventCreate", "cudaEventDestroy", "cudaEventQuery",
        "cudaStreamQuery", "cudaThreadExchangeStreamCaptureMode",
        "cudaDriverGetVersion", "cudaRuntimeGetVersion", "cudaMemGetInfo",
        "__cudaPushCallConfiguration", "__cudaPopCallConfiguration",
        "cudaCtxResetPersisting"})
    if (StartsWith(name, start)) return true;
  return false;
}

bool IsDriverWork(const char* name) {
  for (const char* start :
       {"cuLaunch", "cuGraphLaunch", "cuMemcpy", "cuMemset", "cuMemAlloc",
        "cuMemFree", "cuCtxSynchronize", "cuStreamSynchronize",
        "cuEventSynchronize", "cuStreamWaitEvent"})
    if (StartsWith(name, start)) return true;
  return false;
}

bool KindSet::Enable(char* why, size_t why_bytes, char* missing,
                     size_t missing_bytes) {
  const char* list = std::getenv("STEPSCOPE_GPU_KINDS");
  const bool nodes = EnvironmentIs("STEPSCOPE_GPU_GRAPHS", "nodes");
  missing[0] = '\0';
  for (const Kind& kind : kKinds) {
    if (!Listed(list, kind.name)) continue;
    if (kind.kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && nodes) continue;
    const bool dump = kind.dump && api_.cuptiActivityEnableAndDump != nullptr;
    const CUptiResult result = dump ? api_.cuptiActivityEnableAndDump(kind.kind)
                                    : api_.cuptiActivityEnable(kind.kind);
    if (result == CUPTI_SUCCESS) {
      enabled_.push_back(kind.kind);
      continue;
    }
    if (kind.required) {
      api_.Explain("cuptiActivityEnable", result, why, why_bytes);
      Disable();
      return false;
    }
    const size_t used = std::strlen(missing);
    std::snprintf(missing + used, missing_bytes - used, "%s%s",
                  used > 0 ? ", " : "", kind.name);
  }
  FilterCalls();
  return true;
}

// Runtime calls: all but the noise. Driver calls: only those that do work; the
// runtime makes its own without passing through them.
void KindSet::FilterCalls() {
  const char* list = std::getenv("STEPSCOPE_GPU_KINDS");
  const bool all = EnvironmentIs("STEPSCOPE_GPU_CALLS", "all");
  const auto each = [&](CUpti_CallbackDomain domain, auto visit) {
    for (uint32_t cbid = 1; cbid < kMaxCalls; ++cbid) {
      const char* name = nullptr;
      if (api_.cuptiGetCallbackName(domain, cbid, &name) != CUPTI_SUCCESS ||
          name == nullptr)
        return;
      visit(cbid, name);
    }
  };
  if (api_.cuptiActivityEnableRuntimeApi != nullptr && !all &&
      Listed(list, "runtime"))
    each(CUPTI_CB_DOMAIN_RUNTIME_API, [&](uint32_t cbid, const char* name) {
      if (IsNoiseCall(name)) api_.cuptiActivityEnableRuntimeApi(cbid, 0);
    });
  if (!Listed(list, kDriver)) return;
  if (all || api_.cuptiActivityEnableDriverApi == nullptr) {
    // Before 12.5 it is all or nothing; then nothing, unless asked for.
    if (all && api_.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER) ==
                   CUPTI_SUCCESS)
      enabled_.push_back(CUPTI_ACTIVITY_KIND_DRIVER);
    return;
  }
  each(CUPTI_CB_DOMAIN_DRIVER_API, [&](uint32_t cbid, const char* name) {
    if (IsDriverWork(name) &&
        api_.cuptiActivityEnableDriverApi(cbid, 1) == CUPTI_SUCCESS)
      driver_calls_.push_back(cbid);
  });
}

bool KindSet::Disable() {
  bool all = true;
  for (const uint32_t cbid : driver_calls_)
    all &= api_.cuptiActivityEnableDriverApi(cbid, 0) == CUPTI_SUCCESS;
  for (const CUpti_ActivityKind kind : enabled_)
    all &= api_.cuptiActivityDisable(kind) == CUPTI_SUCCESS;
  driver_calls_.clear();
  enabled_.clear();
  return all;
}

}  // namespace stepscope::gpu
