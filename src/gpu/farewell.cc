// SPDX-License-Identifier: Apache-2.0
#include "gpu/farewell.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace stepscope::gpu {

void Farewell::Listen(const CuptiApi& api, CUpti_SubscriberHandle subscriber,
                      bool on) {
  const uint32_t enable = on ? 1 : 0;
  api.cuptiEnableDomain(enable, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  api.cuptiEnableDomain(enable, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
}

bool Farewell::Begin(const CuptiApi& api, CUpti_SubscriberHandle subscriber,
                     uint32_t thread, int wait_ms) {
  thread_ = thread;
  state_.store(kWanted, std::memory_order_release);
  Listen(api, subscriber, true);
  for (int i = 0; i < wait_ms; ++i) {
    if (state_.load(std::memory_order_acquire) == kDone) return true;
    usleep(1000);
  }
  return state_.load(std::memory_order_acquire) == kDone;
}

void Farewell::OnCall(const CuptiApi& api, CUpti_CallbackDomain domain,
                      const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API &&
      domain != CUPTI_CB_DOMAIN_DRIVER_API)
    return;
  if (static_cast<const CUpti_CallbackData*>(data)->callbackSite !=
      CUPTI_API_EXIT)
    return;
  if (state_.load(std::memory_order_acquire) != kWanted ||
      static_cast<uint32_t>(syscall(SYS_gettid)) != thread_)
    return;
  uint32_t wanted = kWanted;
  if (!state_.compare_exchange_strong(wanted, kRunning)) return;
  api.cuptiFinalize();
  state_.store(kDone, std::memory_order_release);
}

bool Farewell::Cancel(const CuptiApi& api, CUpti_SubscriberHandle subscriber) {
  uint32_t wanted = kWanted;
  if (state_.compare_exchange_strong(wanted, kNone)) {
    Listen(api, subscriber, false);
    return false;
  }
  // The thread that is at it comes to an end within milliseconds.
  for (int i = 0; i < 1000 && state_.load() == kRunning; ++i) usleep(1000);
  return state_.exchange(kNone) == kDone;
}

}  // namespace stepscope::gpu
