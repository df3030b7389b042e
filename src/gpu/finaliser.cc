// SPDX-License-Identifier: Apache-2.0
#include "gpu/finaliser.h"

#include <unistd.h>

#include "gpu/clock.h"

namespace stepscope::gpu {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
// A thread that has not called for this long is not waited for.
constexpr int64_t kIdle = kMillisecond;
// How long a thread is kept in a call for the others to gather, and how often.
constexpr int64_t kGather = 20 * kMillisecond;
constexpr int64_t kPause = 50 * kMillisecond;
// No thread waits longer than this, whatever CUPTI does.
constexpr int64_t kLongestWait = 1000 * kMillisecond;

}  // namespace

void Finaliser::Listen(const CuptiApi& api, CUpti_SubscriberHandle subscriber,
                       bool on) {
  if (!on) withdrew_ = true;
  const uint32_t enable = on ? 1 : 0;
  api.cuptiEnableDomain(enable, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  api.cuptiEnableDomain(enable, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
}

void Finaliser::Begin(const CuptiApi& api, CUpti_SubscriberHandle subscriber,
                      const std::vector<uint32_t>& threads, int64_t listen_ms) {
  threads_.Reset(threads);
  subscriber_ = subscriber;
  listen_ns_ = listen_ms * kMillisecond;
  give_up_ns_ = 0;
  next_try_ns_ = 0;
  state_ = kWanted;
  Listen(api, subscriber, true);
}

void Finaliser::OnCall(const CuptiApi& api, CUpti_CallbackDomain domain,
                       const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API &&
      domain != CUPTI_CB_DOMAIN_DRIVER_API)
    return;
  const uint32_t state = state_;
  if (state == kNone || state == kDone) return;
  CallingThreads::Entry* mine = threads_.Mine();
  if (mine == nullptr) return;
  if (static_cast<const CUpti_CallbackData*>(data)->callbackSite ==
      CUPTI_API_ENTER)
    return Enter(mine);
  const uint32_t depth = mine->depth;
  if (depth > 1) {
    mine->depth = depth - 1;
    return;
  }
  const int64_t now = NowNs();
  mine->out_since_ns = now;
  mine->depth = 0;
  if (depth == 0) return;  // the call began before we listened
  if (state_ == kWanted) return Try(api, mine, now);
  mine->parked = true;
  WaitWhile(kGathering, kRunning);
  mine->parked = false;
}

// Either the one that finalises sees this thread inside, or this thread sees
// that it is at it and waits: both orders of the two stores are sequential.
void Finaliser::Enter(CallingThreads::Entry* mine) {
  const uint32_t depth = mine->depth;
  mine->depth = depth + 1;
  if (depth != 0 || state_ != kRunning) return;
  mine->depth = 0;
  WaitWhile(kRunning, kRunning);
  mine->depth = 1;
}

void Finaliser::WaitWhile(State low, State high) const {
  const int64_t until = NowNs() + kLongestWait;
  for (;;) {
    const uint32_t state = state_;
    if (state < low || state > high || NowNs() > until) return;
    usleep(20);
  }
}

void Finaliser::Try(const CuptiApi& api, const CallingThreads::Entry* mine,
                    int64_t now_ns) {
  int64_t unset = 0;
  give_up_ns_.compare_exchange_strong(unset, now_ns + listen_ns_);
  if (now_ns < next_try_ns_) return;
  uint32_t wanted = kWanted;
  if (now_ns > give_up_ns_) {
    if (state_.compare_exchange_strong(wanted, kNone))
      Listen(api, subscriber_, false);
    return;
  }
  if (!threads_.OthersAreKnown(mine)) {
    next_try_ns_ = now_ns + kMillisecond;
    return;
  }
  if (!state_.compare_exchange_strong(wanted, kGathering)) return;
  while (NowNs() - now_ns < kGather) {
    if (FinaliseIfOthersAreOut(api, mine)) return;
    usleep(20);
  }
  next_try_ns_ = NowNs() + kPause;
  state_ = kWanted;
}

bool Finaliser::FinaliseIfOthersAreOut(const CuptiApi& api,
                                       const CallingThreads::Entry* mine) {
  if (!threads_.OthersAreOut(mine, NowNs(), kIdle)) return false;
  state_ = kRunning;
  if (!threads_.OthersAreOut(mine, NowNs(), kIdle)) {
    state_ = kGathering;
    return false;
  }
  // Otherwise launches stay slower. Nobody is under a call now.
  api.cuptiEnableDomain(0, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API);
  api.cuptiEnableDomain(0, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API);
  api.cuptiFinalize();
  state_ = kDone;
  return true;
}

bool Finaliser::Cancel(const CuptiApi& api, CUpti_SubscriberHandle subscriber) {
  uint32_t wanted = kWanted;
  // A thread that is at it comes to an end within milliseconds.
  for (int i = 0; i < 1000 && wanted != kNone && wanted != kDone; ++i) {
    wanted = kWanted;
    if (state_.compare_exchange_strong(wanted, kNone)) {
      Listen(api, subscriber, false);
      return false;
    }
    usleep(1000);
  }
  return state_.exchange(kNone) == kDone;
}

}  // namespace stepscope::gpu
