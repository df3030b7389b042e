// SPDX-License-Identifier: Apache-2.0
//
// The floor of GPU recording: CUPTI with the kinds that the plugin enables,
// buffers handed back unread. A shared library, so that C++ and Python measure
// with the same one. Not part of the product. bare_start_kernels() records
// kernels alone, as the flight recorder does.
#include <cupti.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <span>

namespace {

constexpr size_t kBytes = size_t{2} << 20;
constexpr int kBuffers = 64;
uint8_t* buffers[kBuffers];
std::atomic<bool> taken[kBuffers];
CUpti_SubscriberHandle subscriber;
std::atomic<unsigned long long> bytes_seen{0};

constexpr CUpti_ActivityKind kAll[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                       CUPTI_ACTIVITY_KIND_MEMCPY,
                                       CUPTI_ACTIVITY_KIND_MEMSET,
                                       CUPTI_ACTIVITY_KIND_MEMCPY2,
                                       CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
                                       CUPTI_ACTIVITY_KIND_RUNTIME,
                                       CUPTI_ACTIVITY_KIND_MEMORY2,
                                       CUPTI_ACTIVITY_KIND_MEMORY_POOL,
                                       CUPTI_ACTIVITY_KIND_OVERHEAD};

void Request(uint8_t** buffer, size_t* size, size_t* records) {
  *records = 0;
  *size = kBytes;
  for (int i = 0; i < kBuffers; ++i) {
    if (taken[i].exchange(true)) continue;
    *buffer = buffers[i];
    return;
  }
  *buffer = nullptr;
  *size = 0;
}

void Complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  bytes_seen += valid;
  for (int i = 0; i < kBuffers; ++i)
    if (buffers[i] == buffer) taken[i] = false;
}

void Callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

int Start(std::span<const CUpti_ActivityKind> kinds) {
  for (uint8_t*& buffer : buffers) {
    if (buffer != nullptr) continue;
    buffer = static_cast<uint8_t*>(std::aligned_alloc(4096, kBytes));
    std::memset(buffer, 0, kBytes);
  }
  if (cuptiSubscribe(&subscriber, Callback, nullptr) != CUPTI_SUCCESS) return 1;
  cuptiActivityRegisterCallbacks(Request, Complete);
  for (const CUpti_ActivityKind kind : kinds)
    if (cuptiActivityEnable(kind) != CUPTI_SUCCESS) return 2;
  return 0;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int bare_start(void) {
  return Start(kAll);
}

__attribute__((visibility("default"))) int bare_start_kernels(void) {
  return Start(std::span(kAll).first(1));
}

__attribute__((visibility("default"))) unsigned long long bare_stop(void) {
  for (const CUpti_ActivityKind kind : kAll) cuptiActivityDisable(kind);
  cuptiActivityFlushAll(1);
  cuptiUnsubscribe(subscriber);
  return bytes_seen.exchange(0);
}

}  // extern "C"
