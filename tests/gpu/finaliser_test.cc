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
class FinaliserOfTwo : public testing::Test {
 protected:
  void SetUp() override {
    // However slow the machine is.
    setenv("STEPSCOPE_CUPTI_FINALIZE", "600000", 0);
    ASSERT_TRUE(host.Record());
    fake.Kernel();
    other.Do([&] { fake.Kernel(); });
    host.Detach();
  }

  Fake& fake = Fake::Get();
  TestHost host;
  Worker other;
};

TEST(Finaliser, OfAThreadThatHasEnded) {
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
TEST_F(FinaliserOfTwo, NotBeforeTheOtherThreadWasSeen) {
  Idle();
  fake.call(kCall);
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
  Idle();
  other.Do([&] { fake.call(kCall); });
  EXPECT_EQ(fake.count("cuptiFinalize"), 1);
  EXPECT_EQ(fake.count("finalised_under_a_call"), 0);
}

TEST_F(FinaliserOfTwo, NotWhileTheOtherThreadIsInside) {
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
  EXPECT_EQ(fake.count("cuptiFinalize"), 1);
  EXPECT_EQ(fake.count("finalised_under_a_call"), 0);
}

// A call that makes another is not over when that one is.
TEST_F(FinaliserOfTwo, NotBetweenTheCallsOfACall) {
  other.Do([&] {
    fake.enter(kCall);
    fake.call(kCall);
  });
  Idle();
  fake.call(kCall);
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
  other.Do([&] { fake.leave(kCall); });
}

// Four threads that launch as fast as they can wait for one another.
TEST(Finaliser, AmidLaunchingThreads) {
  setenv("STEPSCOPE_CUPTI_FINALIZE", "600000", 1);
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
  for (int session = 0; session < 10; ++session) {
    const int64_t before = fake.count("cuptiFinalize");
    EXPECT_TRUE(host.Record());
    for (const int seen = launches; launches < seen + 40;) usleep(100);
    host.Detach();
    while (fake.count("cuptiFinalize") == before) usleep(1000);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fake.count("finalised_under_a_call"), 0);
  EXPECT_EQ(fake.count("finalised_after_withdrawal"), 0);
}

// A thread that never comes back to CUDA: after a while nobody listens.
class FinaliserAtOnce : public FinaliserOfTwo {
 protected:
  void SetUp() override {
    setenv("STEPSCOPE_CUPTI_FINALIZE", "100", 1);
    FinaliserOfTwo::SetUp();
  }
};

TEST_F(FinaliserAtOnce, GivesUp) {
  EXPECT_EQ(fake.count("domains"), 2);
  fake.call(kCall);
  usleep(110'000);
  fake.call(kCall);
  EXPECT_EQ(fake.count("domains"), 0);
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
  host.blocks.clear();
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.Work().size(), 1u);
}

// Another thread is in a call as callbacks are withdrawn: CUPTI stays.
TEST_F(FinaliserOfTwo, NotOnceCallbacksWereWithdrawn) {
  other.Do([&] { fake.enter(kCall); });
  ASSERT_TRUE(host.Record());  // again, before CUPTI could be finalised
  EXPECT_GT(fake.count("withdrawn_under_a_call"), 0);
  fake.Kernel();
  other.Do([&] {
    fake.leave(kCall);
    fake.Kernel();
  });
  host.Detach();
  for (int i = 0; i < 3; ++i) {
    other.Do([&] { fake.call(kCall); });
    Idle();
    fake.call(kCall);
  }
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
}

// A session ends under a call.
TEST(Finaliser, CallbacksStayUnderACall) {
  setenv("STEPSCOPE_CUPTI_FINALIZE", "600000", 1);
  Fake& fake = Fake::Get();
  TestHost host;
  Worker other;
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  other.Do([&] { fake.enter(kCall); });
  host.Detach();
  other.Do([&] { fake.leave(kCall); });
  other.Do([&] { fake.call(kCall); });
  while (fake.count("cuptiFinalize") == 0) {
    Idle();
    fake.call(kCall);
  }
  EXPECT_EQ(fake.count("withdrawn_under_a_call"), 0);
  EXPECT_EQ(fake.count("finalised_under_a_call"), 0);
}

}  // namespace
