// SPDX-License-Identifier: Apache-2.0
//
// CUPTI is finalised after stop where, and only where, no other thread of the
// program is inside CUDA.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "test_host.h"

namespace {

constexpr uint32_t kCall = 5;

// A thread that does what it is told, one thing after another.
class Worker {
 public:
  Worker() : thread_([this] { Work(); }) {}
  ~Worker() {
    Do([this] { done_ = true; });
    thread_.join();
  }
  // Starts it and waits for its end.
  void Do(std::function<void()> job) {
    job_ = std::move(job);
    turn_ = 1;
    while (turn_ != 0) usleep(10);
  }

 private:
  void Work() {
    while (!done_) {
      if (turn_ == 0) {
        usleep(10);
        continue;
      }
      job_();
      turn_ = 0;
    }
  }

  std::function<void()> job_;
  std::atomic<int> turn_{0};
  bool done_ = false;
  std::thread thread_;
};

void Idle() { usleep(5000); }

// After a session in which this thread and another one called CUDA; the other
// lives on.
class FarewellOfTwo : public testing::Test {
 protected:
  void SetUp() override { OneSession(); }

  void OneSession() {
    ASSERT_TRUE(host.Record());
    fake.Kernel();
    other.Do([&] { fake.Kernel(); });
    host.Detach();
  }

  // After two seconds nobody listens any more, also if it was the machine that
  // took them: then what was seen says nothing, and it begins anew.
  bool TookTooLong() {
    if (fake.count("domains") != 0 || fake.count("cuptiFinalize") != 0)
      return false;
    OneSession();
    return true;
  }

  Fake& fake = Fake::Get();
  TestHost host;
  Worker other;
};

TEST(Farewell, OfAThreadThatHasEnded) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  std::thread([&] { fake.Kernel(); }).join();
  host.Detach();
  fake.call(kCall);
  EXPECT_EQ(fake.count("cuptiFinalize"), 1);
}

// Nobody knows whether it is in a call that began before.
TEST_F(FarewellOfTwo, NotBeforeTheOtherThreadWasSeen) {
  do {
    Idle();
    fake.call(kCall);
    EXPECT_EQ(fake.count("cuptiFinalize"), 0);
    Idle();
    other.Do([&] { fake.call(kCall); });
  } while (TookTooLong());
  EXPECT_EQ(fake.count("cuptiFinalize"), 1);
  EXPECT_EQ(fake.count("finalised_under_a_call"), 0);
}

TEST_F(FarewellOfTwo, NotWhileTheOtherThreadIsInside) {
  do {
    Idle();
    other.Do([&] {
      fake.call(kCall);
      fake.enter(kCall);
    });
    Idle();
    fake.call(kCall);
    EXPECT_EQ(fake.count("cuptiFinalize"), 0);
    other.Do([&] { fake.leave(kCall); });
    usleep(60'000);  // it does not try all the time
    fake.call(kCall);
  } while (TookTooLong());
  EXPECT_EQ(fake.count("cuptiFinalize"), 1);
  EXPECT_EQ(fake.count("finalised_under_a_call"), 0);
}

// A call that makes another is not over when that one is.
TEST_F(FarewellOfTwo, NotBetweenTheCallsOfACall) {
  other.Do([&] {
    fake.enter(kCall);
    fake.call(kCall);
  });
  Idle();
  fake.call(kCall);
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
  other.Do([&] { fake.leave(kCall); });
}

// Four threads that launch as fast as they can wait for one another. On a
// machine with much else to do that may fail for once, but not for ever.
TEST(Farewell, AmidLaunchingThreads) {
  Fake& fake = Fake::Get();
  TestHost host;
  std::atomic<bool> stop{false};
  std::atomic<int> launches{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!stop) {
        fake.Kernel();
        ++launches;
        usleep(30);
      }
    });
  for (int session = 0; session < 10 || fake.count("cuptiFinalize") < 5;
       ++session) {
    const int64_t before = fake.count("cuptiFinalize");
    EXPECT_TRUE(host.Record());
    for (const int seen = launches; launches < seen + 40;) usleep(100);
    host.Detach();
    for (int i = 0; i < 2000 && fake.count("cuptiFinalize") == before; ++i)
      usleep(1000);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fake.count("finalised_under_a_call"), 0);
}

// A thread that never comes back to CUDA: after a while nobody listens.
TEST_F(FarewellOfTwo, GivesUp) {
  EXPECT_EQ(fake.count("domains"), 2);
  fake.call(kCall);
  usleep(2'100'000);
  fake.call(kCall);
  EXPECT_EQ(fake.count("domains"), 0);
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
  host.blocks.clear();
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.Work().size(), 1u);
}

}  // namespace
