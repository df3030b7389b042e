// SPDX-License-Identifier: Apache-2.0
#include "collector/sync.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace stepscope::collector {
namespace {

using std::chrono::milliseconds;

// On a busy machine a holder may be without a processor for that long. Who
// gives up then loses a thread's first event, or its name.
TEST(BoundedLock, WaitsForAHolderThatLostItsProcessor) {
  BoundedLock lock;
  ASSERT_TRUE(lock.Lock());
  std::thread holder([&] {
    std::this_thread::sleep_for(milliseconds(200));
    lock.Unlock();
  });
  EXPECT_TRUE(lock.Lock());
  lock.Unlock();
  holder.join();
}

// Hundreds of threads that begin at once on two processors: each holder is
// quick, but it may be long before one gets its turn.
TEST(BoundedLock, WaitsWhileItChangesHands) {
  BoundedLock lock;
  ASSERT_TRUE(lock.Lock());
  std::thread others([&] {
    for (int i = 0; i < 8; ++i) {
      std::this_thread::sleep_for(milliseconds(300));
      lock.Unlock();
      ASSERT_TRUE(lock.Lock());  // before who sleeps has woken up
    }
    lock.Unlock();
  });
  EXPECT_TRUE(lock.Lock());
  lock.Unlock();
  others.join();
}

TEST(BoundedLock, GivesUpOnAHolderThatVanished) {
  BoundedLock lock;
  ASSERT_TRUE(lock.Lock());
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(lock.Lock());
  EXPECT_LT(std::chrono::steady_clock::now() - before, milliseconds(10000));
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
