// SPDX-License-Identifier: Apache-2.0
#include "gpu/kinds.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace stepscope::gpu {
namespace {

// Waits and events are left to the calls that make them: their own kinds made
// a training step a quarter slower where all others together cost some percent
// (docs/guide/gpu.md). Whole graphs are no work that can be left out: see
// KindSet::Enable about graphs that were made before.
constexpr Kind kKinds[] = {
    {"kernel", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, true, false, true, true},
    {"memcpy", CUPTI_ACTIVITY_KIND_MEMCPY, true, false, true, true},
    {"memset", CUPTI_ACTIVITY_KIND_MEMSET, true, false, true, true},
    {"peer", CUPTI_ACTIVITY_KIND_MEMCPY2, false, false, true, true},
    {"graph", CUPTI_ACTIVITY_KIND_GRAPH_TRACE, false, false, true, false},
    {"sync", CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, false, false, false, true},
    {"event", CUPTI_ACTIVITY_KIND_CUDA_EVENT, false, false, false, true},
    {"memory", CUPTI_ACTIVITY_KIND_MEMORY2, false, false, true, false},
    {"pool", CUPTI_ACTIVITY_KIND_MEMORY_POOL, false, false, true, false},
    {"overhead", CUPTI_ACTIVITY_KIND_OVERHEAD, false, false, true, false},
    {"device", CUPTI_ACTIVITY_KIND_DEVICE, false, true, true, false},
};
constexpr const char* kRuntime = "runtime";
constexpr const char* kDriver = "driver";

// More calls than CUDA has; the library says where its list ends.
constexpr uint32_t kMaxCalls = 2048;

bool StartsWith(const char* text, const char* with) {
  return std::strncmp(text, with, std::strlen(with)) == 0;
}

// Whether `name` is in the comma-separated `list`; without one, `otherwise`.
bool Listed(const char* list, const char* name, bool otherwise) {
  if (list == nullptr || list[0] == '\0') return otherwise;
  if (std::strcmp(list, "all") == 0) return true;
  const size_t length = std::strlen(name);
  for (const char* at = list; *at != '\0';) {
    const size_t word = std::strcspn(at, ",");
    if (word == length && std::strncmp(at, name, length) == 0) return true;
    at += word + (at[word] == ',' ? 1 : 0);
  }
  return false;
}

bool EnvironmentIs(const char* variable, const char* value) {
  const char* text = secure_getenv(variable);
  return text != nullptr && std::strcmp(text, value) == 0;
}

}  // namespace

bool IsWork(const char* call) {
  const char* bare = StartsWith(call, "cuda") ? call + 4 : call + 2;
  if (!StartsWith(call, "cu")) return false;
  for (const char* start : {"Launch",           "GraphLaunch",
                            "Memcpy",           "Memset",
                            "Malloc",           "Free",
                            "MemAlloc",         "MemFree",
                            "EventRecord",      "StreamWaitEvent",
                            "MemPrefetch",      "DeviceSynchronize",
                            "CtxSynchronize",   "StreamSynchronize",
                            "EventSynchronize", "GraphInstantiate",
                            "ModuleLoad",       "LibraryLoad",
                            "HostAlloc",        "HostRegister",
                            "MemHost",          "MemCreate",
                            "MemPool",          "GraphAdd"})
    if (StartsWith(bare, start)) return true;
  return false;
}

bool KindSet::Enable(char* why, size_t why_bytes, char* missing,
                     size_t missing_bytes) {
  const char* list = secure_getenv("STEPSCOPE_GPU_KINDS");
  // A graph that was instantiated before CUPTI was attached crashes the program
  // when it is launched, if graphs are traced as wholes (CUPTI 13.0, seen with
  // and without us): so only where there cannot be any.
  const bool whole = early_ && EnvironmentIs("STEPSCOPE_GPU_GRAPHS", "whole");
  missing[0] = '\0';
  for (const Kind& kind : kKinds) {
    if (!Listed(list, kind.name, kind.standard)) continue;
    if (kind.kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && !whole) continue;
    const bool dump = kind.dump && api_.cuptiActivityEnableAndDump != nullptr;
    const CUptiResult result = dump ? api_.cuptiActivityEnableAndDump(kind.kind)
                                    : api_.cuptiActivityEnable(kind.kind);
    if (result == CUPTI_SUCCESS) {
      enabled_.push_back({kind.kind, kind.work, true});
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
  return true;
}

bool KindSet::Set(Enabled& enabled, bool on) {
  if (enabled.on == on) return true;
  const CUptiResult result = on ? api_.cuptiActivityEnable(enabled.kind)
                                : api_.cuptiActivityDisable(enabled.kind);
  if (result != CUPTI_SUCCESS) return false;
  enabled.on = on;
  return true;
}

bool KindSet::SetWork(bool on) {
  bool all = true;
  for (Enabled& enabled : enabled_)
    if (enabled.work) all &= Set(enabled, on);
  return all;
}

bool KindSet::Disable() {
  bool all = true;
  for (Enabled& enabled : enabled_) all &= Set(enabled, false);
  enabled_.clear();
  return all;
}

std::vector<ApiCall> CallsOfInterest(const CuptiApi& api) {
  const char* list = secure_getenv("STEPSCOPE_GPU_KINDS");
  const bool all = EnvironmentIs("STEPSCOPE_GPU_CALLS", "all");
  std::vector<ApiCall> calls;
  const auto add = [&](const char* kind, CUpti_CallbackDomain domain) {
    if (!Listed(list, kind, true)) return;
    for (uint32_t cbid = 1; cbid < kMaxCalls; ++cbid) {
      const char* name = nullptr;
      if (api.cuptiGetCallbackName(domain, cbid, &name) != CUPTI_SUCCESS ||
          name == nullptr)
        return;
      if (all || IsWork(name)) calls.push_back({domain, cbid});
    }
  };
  add(kRuntime, CUPTI_CB_DOMAIN_RUNTIME_API);
  add(kDriver, CUPTI_CB_DOMAIN_DRIVER_API);
  return calls;
}

}  // namespace stepscope::gpu
