// SPDX-License-Identifier: Apache-2.0
//
// OpenCalls: which calls into CUDA each thread is in, and since when. CUPTI
// offers memory of its own for that (`correlationData`), but a call that began
// before CUPTI was finalised and ends after it was attached again brings a
// pointer to memory that is freed. A fixed table, without locks or allocation;
// a thread changes its own entry only.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace stepscope::gpu {

class OpenCalls {
 public:
  static constexpr uint32_t kThreads = 1024;
  static constexpr uint32_t kDepth = 4;  // a call may make others

  // Forgets all calls. Not while another thread does the same.
  void Reset() { generation_.fetch_add(1, std::memory_order_relaxed); }
  // The same while calls may be under way, of which some will not be seen to
  // end: each thread forgets its own at its next call. Any thread.
  void ForgetUnseen() { epoch_.fetch_add(1, std::memory_order_relaxed); }

  // The calling thread, `thread`, enters a call. The driver's share of a
  // runtime call, which has the same correlation, is a part of that call.
  void Enter(uint32_t thread, uint32_t correlation, bool driver,
             uint64_t start);
  // The start of the call that the thread leaves; 0: it was not entered, or is
  // a part of another.
  uint64_t Leave(uint32_t thread, uint32_t correlation, bool driver);

  // The correlation of the call that the thread is in; 0: none.
  uint32_t Innermost(uint32_t thread);

  // How many calls there was no room for, since the last time it was asked.
  uint64_t TakeLost() { return lost_.exchange(0, std::memory_order_relaxed); }

 private:
  struct Open {
    uint32_t correlation = 0;
    bool driver = false;
    uint64_t start = 0;
  };
  struct Thread {
    std::atomic<uint64_t> owner{0};  // generation and thread; 0: free
    uint32_t epoch = 0;              // of the calls in `open`
    uint32_t depth = 0;
    std::array<Open, kDepth> open;
  };

  Thread* Find(uint32_t thread, bool claim);

  std::array<Thread, kThreads> threads_;
  std::atomic<uint32_t> generation_{1};
  std::atomic<uint32_t> epoch_{0};
  std::atomic<uint64_t> lost_{0};
};

}  // namespace stepscope::gpu
