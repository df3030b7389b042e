// SPDX-License-Identifier: Apache-2.0
#include "gpu/name_cache.h"

#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace stepscope::gpu {
namespace {

// Of CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind, in their order.
constexpr const char* kCopyKinds[] = {"Unknown", "HtoD", "DtoH", "HtoA",
                                      "AtoH",    "AtoA", "AtoD", "DtoA",
                                      "DtoD",    "HtoH", "PtoP"};
constexpr const char* kMemoryKinds[] = {
    "Unknown", "Pageable", "Pinned",        "Device",
    "Array",   "Managed",  "Device Static", "Managed Static"};
// Of CUpti_ActivitySynchronizationType.
constexpr const char* kWaits[] = {"Unknown Sync", "Event Sync",
                                  "Stream Wait Event", "Stream Sync",
                                  "Context Sync"};
// Of CUpti_ActivityOverheadKind >> 16.
constexpr const char* kOverheads[] = {"Driver Compiler",
                                      "Buffer Flush",
                                      "Instrumentation",
                                      "Resource",
                                      "Runtime Triggered Module Loading",
                                      "Lazy Function Loading",
                                      "Command Buffer Full",
                                      "Activity Buffer Request",
                                      "UVM Initialization"};

template <size_t n>
const char* Name(const char* const (&names)[n], uint32_t index) {
  return index < n ? names[index] : "Unknown";
}

}  // namespace

std::string BareCallName(const char* name) {
  std::string bare(name);
  const size_t at = bare.rfind("_v");
  if (at != std::string::npos && at > 0 && at + 2 < bare.size() &&
      bare.find_first_not_of("0123456789", at + 2) == std::string::npos)
    bare.resize(at);
  for (const char* suffix : {"_ptsz", "_ptds"}) {
    const size_t length = std::strlen(suffix);
    if (bare.size() > length &&
        bare.compare(bare.size() - length, length, suffix) == 0)
      bare.resize(bare.size() - length);
  }
  return bare;
}

void NameCache::Start(const stepscope_plugin_host* host, const CuptiApi* api) {
  host_ = host;
  api_ = api;
  kernels_.assign(kEntries, {});
  for (std::vector<uint32_t>& calls : calls_) calls.assign(kCalls, 0);
}

uint32_t NameCache::Of(const char* name, uint32_t type) {
  return host_->intern(host_->context, name, std::strlen(name), type);
}

uint32_t NameCache::Kernel(const char* name) {
  if (name == nullptr) name = "(unnamed kernel)";
  const auto address = reinterpret_cast<uintptr_t>(name);
  Entry& entry = kernels_[((address >> 4) ^ (address >> 16)) % kEntries];
  if (entry.pointer == name && entry.text == name) return entry.id;
  entry = {name, Of(name, STEPSCOPE_KERNEL), name};
  return entry.id;
}

uint32_t NameCache::Copy(uint8_t kind, uint8_t from, uint8_t to) {
  uint32_t& id = copies_[kind % 16][from % 8][to % 8];
  if (id != 0) return id;
  char name[96];
  std::snprintf(name, sizeof(name), "Memcpy %s (%s -> %s)",
                Name(kCopyKinds, kind), Name(kMemoryKinds, from),
                Name(kMemoryKinds, to));
  return id = Of(name, STEPSCOPE_MEMCPY);
}

uint32_t NameCache::Set(uint16_t memory) {
  uint32_t& id = sets_[memory % 8];
  if (id != 0) return id;
  char name[64];
  std::snprintf(name, sizeof(name), "Memset (%s)", Name(kMemoryKinds, memory));
  return id = Of(name, STEPSCOPE_MEMSET);
}

uint32_t NameCache::Call(CUpti_CallbackDomain domain, uint32_t cbid) {
  uint32_t none = 0;
  std::vector<uint32_t>& calls =
      calls_[domain == CUPTI_CB_DOMAIN_DRIVER_API ? 1 : 0];
  uint32_t& id = cbid < calls.size() ? calls[cbid] : none;
  if (id != 0) return id;
  const char* name = nullptr;
  if (api_->cuptiGetCallbackName(domain, cbid, &name) == CUPTI_SUCCESS &&
      name != nullptr)
    return id = Of(BareCallName(name).c_str(), STEPSCOPE_CUDA_RUNTIME);
  char unknown[64];
  std::snprintf(unknown, sizeof(unknown), "%s call %u",
                domain == CUPTI_CB_DOMAIN_DRIVER_API ? "driver" : "runtime",
                cbid);
  return id = Of(unknown, STEPSCOPE_CUDA_RUNTIME);
}

uint32_t NameCache::Wait(uint32_t type) {
  uint32_t& id = waits_[type % 8];
  if (id == 0) id = Of(Name(kWaits, type), STEPSCOPE_SYNCHRONIZATION);
  return id;
}

uint32_t NameCache::Overhead(uint32_t kind) {
  return Of(Name(kOverheads, kind >> 16), STEPSCOPE_OVERHEAD);
}

uint32_t NameCache::Place(uint32_t memory_kind, uint32_t device) {
  if (memory_kind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED)
    return Of("Place(gpu_pinned)", STEPSCOPE_USER_DEFINED);
  char name[32];
  std::snprintf(name, sizeof(name), "Place(gpu:%u)", device);
  return Of(name, STEPSCOPE_USER_DEFINED);
}

uint32_t NameCache::Graph(uint32_t id) {
  char name[32];
  std::snprintf(name, sizeof(name), "CUDA graph %u", id);
  return Of(name, STEPSCOPE_KERNEL);
}

}  // namespace stepscope::gpu
