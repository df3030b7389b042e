// SPDX-License-Identifier: Apache-2.0
#include "gpu/call_log.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace stepscope::gpu {
namespace {

uint32_t ThreadId(const stepscope_plugin_host& host) {
  const bool knows =
      host.struct_size >= offsetof(stepscope_plugin_host, thread) +
                              sizeof(stepscope_plugin_host::thread) &&
      host.thread != nullptr;
  return knows ? host.thread(host.context)
               : static_cast<uint32_t>(syscall(SYS_gettid));
}

}  // namespace

bool CallLog::Prepare() {
  if (slots_ != nullptr) return true;
  void* memory = mmap(nullptr, kSlots * sizeof(Slot), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  slots_ = static_cast<Slot*>(memory);
  return true;
}

bool CallLog::Begin(const stepscope_plugin_host* host, const CuptiApi& api,
                    CUpti_SubscriberHandle subscriber) {
  wanted_ = CallsOfInterest(api);
  open_.Reset();
  host_.store(host, std::memory_order_release);
  const bool none = wanted_.empty();
  std::erase_if(wanted_, [&](const ApiCall& call) {
    return api.cuptiEnableCallback(1, subscriber, call.domain, call.cbid) !=
           CUPTI_SUCCESS;
  });
  return none || !wanted_.empty();
}

// Some calls are under way: of those nobody sees both ends.
bool CallLog::SetCallbacks(const CuptiApi& api,
                           CUpti_SubscriberHandle subscriber, bool on) {
  if (on) open_.ForgetUnseen();
  bool all = true;
  for (const ApiCall& call : wanted_)
    all &= api.cuptiEnableCallback(on ? 1 : 0, subscriber, call.domain,
                                   call.cbid) == CUPTI_SUCCESS;
  if (!on) open_.ForgetUnseen();
  return all;
}

void CallLog::OnCall(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                     const CUpti_CallbackData& data) {
  const stepscope_plugin_host* host = host_.load(std::memory_order_acquire);
  if (host == nullptr) return;
  const uint64_t now = host->now_ticks(host->context);
  const uint32_t thread = ThreadId(*host);
  const bool driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
  if (data.callbackSite == CUPTI_API_ENTER) {
    open_.Enter(thread, data.correlationId, driver, now);
    return;
  }
  const uint64_t start = open_.Leave(thread, data.correlationId, driver);
  if (start == 0) return;  // a part of another, or begun before we were
  const auto* result = static_cast<const uint32_t*>(data.functionReturnValue);
  Put({start, now, data.correlationId, id, thread,
       result != nullptr ? *result : 0, domain});
}

void CallLog::OnNode(uint64_t node, uint64_t original) {
  const stepscope_plugin_host* host = host_.load(std::memory_order_acquire);
  if (host == nullptr) return;
  const uint32_t thread = ThreadId(*host);
  Put({node, original, open_.Innermost(thread), 0, thread, 0,
       CUPTI_CB_DOMAIN_RESOURCE});
}

void CallLog::Put(const Call& call) {
  uint64_t position = head_.load(std::memory_order_relaxed);
  Slot* slot = nullptr;
  for (;;) {
    slot = &slots_[position % kSlots];
    const auto ahead = static_cast<int32_t>(
        slot->turn.load(std::memory_order_acquire) - TurnToWrite(position));
    if (ahead < 0) {  // not read yet: full
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    if (ahead > 0) {  // another thread was quicker
      position = head_.load(std::memory_order_relaxed);
      continue;
    }
    if (head_.compare_exchange_weak(position, position + 1,
                                    std::memory_order_relaxed))
      break;
  }
  slot->correlation = call.correlation;
  slot->start = call.start;
  slot->end = call.end;
  slot->cbid = call.cbid;
  slot->thread = call.thread;
  slot->result = call.result;
  slot->domain = static_cast<uint32_t>(call.domain);
  slot->turn.store(TurnToWrite(position) + 1, std::memory_order_release);
}

bool CallLog::Next(Call* call) {
  if (slots_ == nullptr) return false;
  Slot& slot = slots_[tail_ % kSlots];
  if (slot.turn.load(std::memory_order_acquire) != TurnToWrite(tail_) + 1)
    return false;
  *call = {slot.start,
           slot.end,
           slot.correlation,
           slot.cbid,
           slot.thread,
           slot.result,
           static_cast<CUpti_CallbackDomain>(slot.domain)};
  slot.turn.store(TurnToWrite(tail_) + 2, std::memory_order_release);
  ++tail_;
  return true;
}

}  // namespace stepscope::gpu
