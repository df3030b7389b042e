// SPDX-License-Identifier: Apache-2.0
#include "collector/sync.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace stepscope::collector {
namespace {

// Time that passes when a test says so, whatever the machine does. Who waits
// for a lock asks for it about every 10 ms.
struct TestClock {
  static int64_t Now() {
    ++asked;
    return now += step;
  }
  static void Reset(int64_t by) {
    asked = 0;
    now = 0;
    step = by;
  }
  // Until who waits has looked at the lock and at the time again.
  static void WaitForALook() {
    const int before = asked;
    while (asked < before + 2) std::this_thread::yield();
  }
  static inline std::atomic<int> asked{0};
  static inline std::atomic<int64_t> now{0};
  static inline std::atomic<int64_t> step{0};
};
using TestLock = BasicBoundedLock<TestClock>;

constexpr int64_t kMillisecond = 1'000'000;

// On a busy machine a holder may be without a processor for that long. Who
// gives up then loses a thread's first event, or its name.
TEST(BoundedLock, WaitsForAHolderThatLostItsProcessor) {
  TestClock::Reset(0);
  TestLock lock;
  ASSERT_TRUE(lock.Lock());
  std::thread holder([&] {
    TestClock::WaitForALook();
    TestClock::now += 900 * kMillisecond;
    TestClock::WaitForALook();
    lock.Unlock();
  });
  EXPECT_TRUE(lock.Lock());
  lock.Unlock();
  holder.join();
}

// Hundreds of threads that begin at once on two processors: each holder is
// quick, but it may be long before one gets its turn.
TEST(BoundedLock, WaitsWhileItChangesHands) {
  TestClock::Reset(0);
  TestLock lock;
  std::atomic<bool> waits{true};
  ASSERT_TRUE(lock.Lock());
  std::thread others([&] {
    for (int i = 0; i < 8; ++i) {
      // The last look was at this holder.
      const int before = TestClock::asked;
      while (waits && TestClock::asked < before + 2) std::this_thread::yield();
      TestClock::now += 900 * kMillisecond;
      lock.Unlock();
      ASSERT_TRUE(lock.Lock());  // before who sleeps has woken up
    }
    lock.Unlock();
  });
  EXPECT_TRUE(lock.Lock());
  waits = false;
  lock.Unlock();
  others.join();
}

TEST(BoundedLock, GivesUpOnAHolderThatVanished) {
  TestClock::Reset(300 * kMillisecond);
  TestLock lock;
  ASSERT_TRUE(lock.Lock());
  EXPECT_FALSE(lock.Lock());
  EXPECT_LE(TestClock::asked, 6);  // after a second
  lock.Unlock();
  EXPECT_TRUE(lock.Lock());
}

TEST(BoundedLock, IsHeldByOneAtATime) {
  constexpr int kThreads = 8, kTimes = 5000;
  BoundedLock lock;
  int sum = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kTimes; ++i) {
        if (!lock.Lock()) continue;
        ++sum;
        lock.Unlock();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sum, kThreads * kTimes);
}

}  // namespace
}  // namespace stepscope::collector
