// SPDX-License-Identifier: Apache-2.0
//
// CallingThreads: which threads of the program are inside a call to CUDA, as
// told by callbacks at the borders of the calls. A fixed table, without locks;
// each thread changes its own entry only.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace stepscope::gpu {

class CallingThreads {
 public:
  static constexpr size_t kMost = 64;

  struct Entry {
    std::atomic<uint32_t> thread{0};  // 0: free
    std::atomic<uint32_t> depth{0};   // calls it is in; a call may make others
    std::atomic<int64_t> out_since_ns{0};  // 0: not seen yet
    std::atomic<bool> parked{false};       // waits for us as it leaves a call
  };

  // Forgets all but `known`, threads that have called CUDA before. Not while
  // callbacks come.
  void Reset(const std::vector<uint32_t>& known);

  // The calling thread's; null: there are more than kMost.
  Entry* Mine();

  // Whether every thread but that of `mine` has been seen since Reset() or has
  // ended.
  bool OthersAreKnown(const Entry* mine) const;

  // Whether every thread but that of `mine` is out of CUDA and will not be back
  // at once: parked, ended, or without a call for `idle_ns`.
  bool OthersAreOut(const Entry* mine, int64_t now_ns, int64_t idle_ns) const;

 private:
  std::array<Entry, kMost> entries_;
  std::atomic<bool> overflown_{false};
};

}  // namespace stepscope::gpu
