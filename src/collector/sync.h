// SPDX-License-Identifier: Apache-2.0
//
// The few synchronisation tools the collector allows itself: a lock for rare
// paths that is waited for with a bound, an index stack without locks, and a
// sleep that another thread can cut short. None of them allocates; all are
// usable in a process whose other threads may have vanished in a fork.
#pragma once

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "collector/clock.h"

namespace stepscope::collector {

// Sleeps. Not a point at which the thread can be cancelled, as usleep() is.
inline void Pause(int64_t ns) {
  const timespec time = {ns / 1000000000, ns % 1000000000};
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
}

// No handler of the program runs on this thread meanwhile: it could record,
// jump out, or exit the process, with what we hold. For microseconds. Signals
// that the thread raises itself, by a fault, are let through.
class SignalsHeld {
 public:
  SignalsHeld() { Hold(); }
  ~SignalsHeld() { Release(); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  // The signals that were blocked already, one bit each.
  uint64_t before() const { return before_; }

  void Hold() {
    const uint64_t all =
        ~(Bit(SIGSEGV) | Bit(SIGBUS) | Bit(SIGILL) | Bit(SIGFPE) |
          Bit(SIGTRAP) | Bit(SIGSYS) | Bit(SIGABRT));
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before_, sizeof(all));
  }
  void Release() {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr,
            sizeof(before_));
  }

 private:
  static constexpr uint64_t Bit(int signal) {
    return uint64_t{1} << (signal - 1);
  }
  uint64_t before_ = 0;
};

// A thread that is cancelled inside would unwind through functions that do not
// throw, which ends the process.
class CancelOff {
 public:
  CancelOff() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancelOff() { pthread_setcancelstate(before_, nullptr); }
  CancelOff(const CancelOff&) = delete;
  CancelOff& operator=(const CancelOff&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// Threads sleep here, each with a bound, until something has changed.
class EventCount {
 public:
  uint32_t count() const { return count_.load(std::memory_order_acquire); }
  void Wait(uint32_t seen, int64_t ns) {
    const timespec time = {ns / 1000000000, ns % 1000000000};
    syscall(SYS_futex, &count_, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
  }
  void Notify() {
    count_.fetch_add(1, std::memory_order_acq_rel);
    syscall(SYS_futex, &count_, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr,
            0);
  }

 private:
  std::atomic<uint32_t> count_{0};
};

// Holds a mutex as long as it lives, and signals with it.
class MutexLock {
 public:
  explicit MutexLock(pthread_mutex_t* mutex) : mutex_(mutex) {
    pthread_mutex_lock(mutex_);
  }
  ~MutexLock() { pthread_mutex_unlock(mutex_); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  // Lets go of both until `event` is notified, or for `ns`.
  void Wait(EventCount* event, int64_t ns) {
    const uint32_t seen = event->count();
    pthread_mutex_unlock(mutex_);
    held_.Release();
    event->Wait(seen, ns);
    held_.Hold();
    pthread_mutex_lock(mutex_);
  }

 private:
  SignalsHeld held_;
  pthread_mutex_t* mutex_;
};

// For rare paths, held for microseconds. Whoever waits sleeps, so that a holder
// that lost its processor gets one. If one and the same holder has it for a
// second (it vanished, say), Lock() returns false: the caller counts and goes
// on. Never taken by a thread that is already inside the collector.
template <typename Clock>
class BasicBoundedLock {
 public:
  [[nodiscard]] bool Lock() {
    constexpr int kSpins = 50;
    for (int i = 0; i < kSpins; ++i) {
      uint32_t expected = kFree;
      if (word_.compare_exchange_weak(expected, kHeld,
                                      std::memory_order_acquire,
                                      std::memory_order_relaxed))
        return Taken();
    }
    constexpr int64_t kLongestNs = 1000000000;
    uint32_t holder = holders_.load(std::memory_order_relaxed);
    int64_t since = Clock::Now();
    while (word_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
      const timespec pause = {0, 10000000};
      syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, kAwaited, &pause, nullptr,
              0);
      const uint32_t next = holders_.load(std::memory_order_relaxed);
      const int64_t now = Clock::Now();
      if (next != holder) {
        holder = next;
        since = now;
      } else if (now - since > kLongestNs) {
        return false;
      }
    }
    return Taken();
  }
  void Unlock() {
    if (word_.exchange(kFree, std::memory_order_release) == kAwaited)
      syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  void ResetAfterFork() { word_.store(kFree, std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kFree = 0;
  static constexpr uint32_t kHeld = 1;
  static constexpr uint32_t kAwaited = 2;  // held, and somebody may sleep

  bool Taken() {
    holders_.store(holders_.load(std::memory_order_relaxed) + 1,
                   std::memory_order_relaxed);
    return true;
  }

  std::atomic<uint32_t> word_{kFree};
  std::atomic<uint32_t> holders_{0};  // so far; only the holder counts
};

struct MonotonicClock {
  static int64_t Now() { return MonotonicNs(); }
};
using BoundedLock = BasicBoundedLock<MonotonicClock>;

// A stack of small indices (Treiber), with a tag against the ABA problem. The
// links live in an array that the owner provides.
class IndexStack {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  void Reset() { head_.store(0, std::memory_order_relaxed); }

  void Push(std::atomic<uint32_t>* next, uint32_t index) {
    uint64_t head = head_.load(std::memory_order_relaxed);
    uint64_t want;
    do {
      next[index].store(static_cast<uint32_t>(head), std::memory_order_relaxed);
      want = Tagged(head, index + 1);
    } while (!head_.compare_exchange_weak(head, want, std::memory_order_release,
                                          std::memory_order_relaxed));
  }

  uint32_t Pop(std::atomic<uint32_t>* next) {
    uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const auto top = static_cast<uint32_t>(head);
      if (top == 0) return kNone;
      const uint32_t below = next[top - 1].load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(head, Tagged(head, below),
                                      std::memory_order_acquire,
                                      std::memory_order_acquire))
        return top - 1;
    }
  }

  bool empty() const {
    return static_cast<uint32_t>(head_.load(std::memory_order_relaxed)) == 0;
  }

  // Takes everything at once; walk it with Next(). Newest first.
  uint32_t TakeAll() {
    uint64_t head = head_.load(std::memory_order_acquire);
    while (!head_.compare_exchange_weak(head, Tagged(head, 0),
                                        std::memory_order_acquire,
                                        std::memory_order_acquire)) {
    }
    return static_cast<uint32_t>(head) - 1;  // 0 becomes kNone
  }
  static uint32_t Next(std::atomic<uint32_t>* next, uint32_t index) {
    return next[index].load(std::memory_order_relaxed) - 1;
  }

 private:
  // Upper half: tag, one more at each change. Lower half: index + 1.
  static uint64_t Tagged(uint64_t head, uint32_t low) {
    return (((head >> 32) + 1) << 32) | low;
  }
  std::atomic<uint64_t> head_{0};
};

// A thread sleeps here with a bound; Wake() ends the sleep at once.
class Sleeper {
 public:
  void Sleep(int64_t ns) {
    const uint32_t seen = word_.exchange(0, std::memory_order_acquire);
    if (seen != 0) return;
    timespec timeout;
    timeout.tv_sec = ns / 1000000000;
    timeout.tv_nsec = ns % 1000000000;
    syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 0, &timeout, nullptr, 0);
    word_.store(0, std::memory_order_relaxed);
  }
  void Wake() {
    word_.store(1, std::memory_order_release);
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  // The same for those who ask often: no system call while one is on its way.
  void Hurry() {
    if (word_.load(std::memory_order_relaxed) == 0) Wake();
  }

 private:
  std::atomic<uint32_t> word_{0};
};

}  // namespace stepscope::collector
