// SPDX-License-Identifier: Apache-2.0
//
// Finaliser: finalises CUPTI, without which launches stay slower (by a third on
// an H200 with 13.0) for the rest of the process. CUPTI allows it at the exit
// of a call into CUDA, on the thread that made the call; with another thread
// inside CUDA at that moment the program crashes. So it is done at the first
// exit at which all other threads are known to be out: each that called CUDA
// while it was recorded must have been seen to leave a call, or have ended;
// those that call often wait in the exit of theirs until it is done. Where that
// does not come about within `listen_ms` of calls, CUPTI stays.
//
// A program that makes no further call never pays for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "gpu/calling_threads.h"
#include "gpu/cupti_api.h"

namespace stepscope::gpu {

class Finaliser {
 public:
  // Asks for it. Nobody waits: the thread that stops a recording is often the
  // one that would have to call. `threads`: those that called CUDA so far.
  void Begin(const CuptiApi& api, CUpti_SubscriberHandle subscriber,
             const std::vector<uint32_t>& threads, int64_t listen_ms);

  // From the subscriber's callback, any thread.
  void OnCall(const CuptiApi& api, CUpti_CallbackDomain domain,
              const void* data);

  // Before attaching again. True: CUPTI was finalised meanwhile. False: the
  // subscription still stands, and nothing will be finalised.
  bool Cancel(const CuptiApi& api, CUpti_SubscriberHandle subscriber);

  // Whether callbacks were withdrawn, perhaps under a call that was under way:
  // finalising CUPTI then corrupts the heap (13.0), so nobody may any more.
  bool withdrew() const { return withdrew_; }
  void NoteWithdrawal() { withdrew_ = true; }

 private:
  enum State : uint32_t { kNone, kWanted, kGathering, kRunning, kDone };
  void Listen(const CuptiApi& api, CUpti_SubscriberHandle subscriber, bool on);
  void Enter(CallingThreads::Entry* mine);
  void Try(const CuptiApi& api, const CallingThreads::Entry* mine,
           int64_t now_ns);
  // In kGathering, by the thread that brought it about.
  bool FinaliseIfOthersAreOut(const CuptiApi& api,
                              const CallingThreads::Entry* mine);
  void WaitWhile(State low, State high) const;

  std::atomic<uint32_t> state_{kNone};
  std::atomic<bool> withdrew_{false};
  CallingThreads threads_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  int64_t listen_ns_ = 0;
  std::atomic<int64_t> give_up_ns_{0};  // 0: no call was seen yet
  std::atomic<int64_t> next_try_ns_{0};
};

}  // namespace stepscope::gpu
