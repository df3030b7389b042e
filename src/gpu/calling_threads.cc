// SPDX-License-Identifier: Apache-2.0
#include "gpu/calling_threads.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace stepscope::gpu {
namespace {

bool HasEnded(uint32_t thread) {
  return syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH;
}

}  // namespace

void CallingThreads::Reset(const std::vector<uint32_t>& known) {
  overflown_ = known.size() > kMost;
  for (size_t i = 0; i < kMost; ++i) {
    Entry& entry = entries_[i];
    entry.thread = i < known.size() ? known[i] : 0;
    entry.depth = 0;
    entry.out_since_ns = 0;
    entry.parked = false;
  }
}

CallingThreads::Entry* CallingThreads::Mine() {
  const auto self = static_cast<uint32_t>(syscall(SYS_gettid));
  for (Entry& entry : entries_) {
    uint32_t thread = entry.thread.load(std::memory_order_acquire);
    if (thread == self) return &entry;
    if (thread == 0 && entry.thread.compare_exchange_strong(thread, self))
      return &entry;
  }
  overflown_ = true;
  return nullptr;
}

bool CallingThreads::OthersAreKnown(const Entry* mine) const {
  if (overflown_) return false;
  for (const Entry& entry : entries_) {
    const uint32_t thread = entry.thread;
    if (thread == 0) return true;
    if (&entry != mine && entry.out_since_ns == 0 && !HasEnded(thread))
      return false;
  }
  return true;
}

bool CallingThreads::OthersAreOut(const Entry* mine, int64_t now_ns,
                                  int64_t idle_ns) const {
  if (overflown_) return false;
  for (const Entry& entry : entries_) {
    const uint32_t thread = entry.thread;
    if (thread == 0) return true;
    if (&entry == mine || entry.parked) continue;
    const int64_t since = entry.out_since_ns;
    if (entry.depth == 0 && since != 0 && now_ns - since >= idle_ns) continue;
    if (!HasEnded(thread)) return false;
  }
  return true;
}

}  // namespace stepscope::gpu
