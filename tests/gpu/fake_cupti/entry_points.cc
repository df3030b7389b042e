// SPDX-License-Identifier: Apache-2.0
//
// The functions of libcupti that the plugin calls.
#include <unistd.h>

#include <cstring>

#include "fake_state.h"

using fake::Buffer;
using fake::Enter;
using fake::Lock;
using fake::mutex;
using fake::Setting;
using fake::state;

namespace {

constexpr const char* kRuntime[] = {nullptr,
                                    "cudaGetDevice_v3020",
                                    "cudaLaunchKernel_v7000",
                                    "cudaMemcpyAsync_v3020",
                                    "cudaMemsetAsync_v3020",
                                    "cudaDeviceSynchronize_v3020",
                                    "cudaMalloc_v3020",
                                    "cudaFree_v3020",
                                    "cudaEventRecord_v3020",
                                    "cudaGraphLaunch_v10000",
                                    "cudaLaunchKernel_ptsz_v7000"};
constexpr const char* kDriver[] = {nullptr, "cuInit", "cuLaunchKernel",
                                   "cuMemGetInfo_v2"};

// A callback is switched off; a call that is under way gets none at its end.
void Withdraw() {
  if (fake::inside > 0) ++state->calls["withdrawn_under_a_call"];
}

}  // namespace

extern "C" {

#define FAKE_CUPTI_ENTER(name)                                          \
  if (const CUptiResult result = Enter(#name); result != CUPTI_SUCCESS) \
    return result;                                                      \
  const Lock lock(mutex)

CUptiResult cuptiGetVersion(uint32_t* version) {
  FAKE_CUPTI_ENTER(cuptiGetVersion);
  const int64_t set = Setting("version");
  *version = set != 0 ? static_cast<uint32_t>(set) : 130001;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
              ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
              : "CUPTI_ERROR_FAKE";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                           CUpti_CallbackFunc callback, void*) {
  FAKE_CUPTI_ENTER(cuptiSubscribe);
  if (state->subscriber != nullptr || Setting("other_subscriber") != 0)
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  state->subscriber = reinterpret_cast<CUpti_SubscriberHandle>(state);
  state->callback = callback;
  *subscriber = state->subscriber;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber,
                              CUpti_CallbackFunc callback, void* user,
                              CUpti_SubscriberParams* params) {
  FAKE_CUPTI_ENTER(cuptiSubscribe_v2);
  // Who allows others says so in a member that came with CUDA 13.2.
  if (Setting("other_subscriber") == 2 &&
      params->structSize > CUpti_SubscriberParams_STRUCT_SIZE)
    ++state->calls["shared_subscriptions"];
  const CUptiResult result = cuptiSubscribe(subscriber, callback, user);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
      params->oldSubscriberName != nullptr)
    std::strncpy(params->oldSubscriberName, "other tool",
                 params->oldSubscriberSize);
  return result;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  FAKE_CUPTI_ENTER(cuptiUnsubscribe);
  Withdraw();
  state->subscriber = nullptr;
  state->callback = nullptr;
  state->domains.clear();
  state->single.clear();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle,
                                CUpti_CallbackDomain domain,
                                CUpti_CallbackId cbid) {
  FAKE_CUPTI_ENTER(cuptiEnableCallback);
  if (enable == 0) Withdraw();
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && enable != 0)
    state->resources.insert(cbid);
  else if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    state->resources.erase(cbid);
  else if (enable != 0)
    state->single.insert({domain, cbid});
  else
    state->single.erase({domain, cbid});
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle,
                              CUpti_CallbackDomain domain) {
  FAKE_CUPTI_ENTER(cuptiEnableDomain);
  if (enable == 0) Withdraw();
  if (enable != 0)
    state->domains.insert(domain);
  else
    state->domains.erase(domain);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize(void) {
  FAKE_CUPTI_ENTER(cuptiFinalize);
  if (fake::inside > 0) ++state->calls["finalised_under_a_call"];
  // The real one corrupts the heap then.
  if (state->calls["withdrawn_under_a_call"] > 0)
    ++state->calls["finalised_after_withdrawal"];
  state->subscriber = nullptr;
  state->callback = nullptr;
  state->domains.clear();
  state->enabled.clear();
  state->single.clear();
  state->timestamp = nullptr;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid,
                                 const char** name) {
  FAKE_CUPTI_ENTER(cuptiGetCallbackName);
  *name = nullptr;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API &&
      cbid < sizeof(kRuntime) / sizeof(kRuntime[0]))
    *name = kRuntime[cbid];
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API &&
      cbid < sizeof(kDriver) / sizeof(kDriver[0]))
    *name = kDriver[cbid];
  return *name != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetTimestamp(uint64_t* time) {
  FAKE_CUPTI_ENTER(cuptiGetTimestamp);
  *time = fake::Now();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) {
  FAKE_CUPTI_ENTER(cuptiSetThreadIdType);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(
    CUpti_TimestampCallbackFunc callback) {
  FAKE_CUPTI_ENTER(cuptiActivityRegisterTimestampCallback);
  state->timestamp = callback;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(
    CUpti_BuffersCallbackRequestFunc request,
    CUpti_BuffersCallbackCompleteFunc complete) {
  FAKE_CUPTI_ENTER(cuptiActivityRegisterCallbacks);
  state->request = request;
  state->complete = complete;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  FAKE_CUPTI_ENTER(cuptiActivityEnable);
  state->enabled.insert(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind) {
  FAKE_CUPTI_ENTER(cuptiActivityEnableAndDump);
  state->enabled.insert(kind);
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE) fake::Device();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  FAKE_CUPTI_ENTER(cuptiActivityDisable);
  state->enabled.erase(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t,
                                              size_t* dropped) {
  FAKE_CUPTI_ENTER(cuptiActivityGetNumDroppedRecords);
  *dropped = state->dropped;
  state->dropped = 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid,
                                       CUpti_Activity** record) {
  FAKE_CUPTI_ENTER(cuptiActivityGetNextRecord);
  if (Setting("unreadable") != 0) return CUPTI_ERROR_INVALID_KIND;
  if (Setting("endless") != 0) {
    *record = reinterpret_cast<CUpti_Activity*>(buffer);
    return CUPTI_SUCCESS;
  }
  auto* at = reinterpret_cast<uint8_t*>(*record);
  at = at == nullptr ? buffer : at + fake::SizeOf((*record)->kind);
  const auto used = static_cast<size_t>(at - buffer);
  if (used + sizeof(CUpti_Activity) > valid ||
      used + fake::SizeOf(reinterpret_cast<CUpti_Activity*>(at)->kind) > valid)
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(at);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  if (const CUptiResult result = Enter("cuptiActivityFlushAll");
      result != CUPTI_SUCCESS)
    return result;
  int64_t hang_ms = 0;
  {
    const Lock lock(mutex);
    hang_ms = Setting("hang_flush_ms");
  }
  if (hang_ms > 0) usleep(static_cast<useconds_t>(hang_ms * 1000));
  const Lock lock(mutex);
  for (auto& [thread, buffer] : state->buffers) {
    if (buffer.bytes == nullptr) continue;
    if (flag != CUPTI_ACTIVITY_FLAG_FLUSH_FORCED && !buffer.unfinished.empty())
      continue;
    fake::Complete(buffer);
  }
  return CUPTI_SUCCESS;
}

// A node is known by its address here.
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  FAKE_CUPTI_ENTER(cuptiGetGraphNodeId);
  *id = reinterpret_cast<uint64_t>(node);
  return CUPTI_SUCCESS;
}

}  // extern "C"
