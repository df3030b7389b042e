// SPDX-License-Identifier: Apache-2.0
//
// Farewell: finalises CUPTI, without which launches stay slower (by a third on
// an H200 with 13.0) for the rest of the process. CUPTI allows it at the exit
// of a call into CUDA, on the thread that made the call: so it is done there,
// once, at the first call after recording ended. A program that makes no
// further call never pays for it. Only for programs of which one thread calls
// CUDA: with two, a program crashed when it was finalised under the other.
#pragma once

#include <atomic>
#include <cstdint>

#include "gpu/cupti_api.h"

namespace stepscope::gpu {

class Farewell {
 public:
  // Asks for it and waits up to `wait_ms`. True: CUPTI is finalised, and with
  // it the subscription is gone. False: it will be, at the next call.
  // `thread` is the one that may do it.
  bool Begin(const CuptiApi& api, CUpti_SubscriberHandle subscriber,
             uint32_t thread, int wait_ms);

  // From the subscriber's callback, any thread.
  void OnCall(const CuptiApi& api, CUpti_CallbackDomain domain,
              const void* data);

  // Before attaching again. True: CUPTI was finalised meanwhile. False: the
  // subscription still stands, and nothing will be finalised.
  bool Cancel(const CuptiApi& api, CUpti_SubscriberHandle subscriber);

 private:
  enum State : uint32_t { kNone, kWanted, kRunning, kDone };
  static void Listen(const CuptiApi& api, CUpti_SubscriberHandle subscriber,
                     bool on);

  std::atomic<uint32_t> state_{kNone};
  uint32_t thread_ = 0;
};

}  // namespace stepscope::gpu
