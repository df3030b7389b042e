// SPDX-License-Identifier: Apache-2.0
//
// Whatever cannot be kept is counted, exactly and under its reason.
#include <cupti.h>
#include <gtest/gtest.h>

#include <thread>

#include "test_host.h"

namespace {

TEST(Loss, TimesThatMakeNoSense) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  FakeWork zero, reversed, wrong;
  zero.zero_times = reversed.reversed = wrong.wrong_clock = true;
  for (int i = 0; i < 2; ++i) fake.work(&zero);
  for (int i = 0; i < 3; ++i) fake.work(&reversed);
  for (int i = 0; i < 4; ++i) fake.work(&wrong);
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.Work().size(), 1u);
  EXPECT_EQ(host.Count("gpu: no timestamp"), 2u);
  EXPECT_EQ(host.Count("gpu: end before start"), 3u);
  EXPECT_EQ(host.Count("gpu: time in the future"), 4u);
  EXPECT_EQ(host.state, STEPSCOPE_DEVICE_PARTIAL);
  EXPECT_TRUE(host.Balanced());
}

TEST(Loss, WorkInFlightIsWaitedFor) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  FakeWork running;
  running.in_flight = true;
  fake.work(&running);
  std::thread device([&] {
    usleep(30000);
    fake.finish();
  });
  host.Detach(60'000);
  device.join();
  EXPECT_EQ(host.Work().size(), 1u);
  EXPECT_EQ(host.Count("gpu: not complete at stop"), 0u);
}

TEST(Loss, WorkThatNeverEndsIsCountedInBoundedTime) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  FakeWork running;
  running.in_flight = true;
  fake.work(&running);
  fake.Kernel();
  host.Detach(300);  // returns: the test's own limit is the judge
  EXPECT_EQ(host.Work().size(), 1u);
  EXPECT_EQ(host.Count("gpu: not complete at stop"), 1u);
  EXPECT_TRUE(host.Balanced());
}

TEST(Loss, UnknownKindsAndUnreadableBuffers) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.unknown_kind();
  fake.Kernel();
  host.Poll();
  fake.Kernel();
  fake.set("unreadable", 1);
  host.Poll();
  fake.set("unreadable", 0);
  fake.Kernel();
  fake.set("endless", 1);
  host.Poll();
  fake.set("endless", 0);
  host.Detach();
  EXPECT_EQ(host.Count("gpu: unknown kind"), 1u);
  EXPECT_EQ(host.Count("gpu: unreadable buffer"), 2u);
}

// A buffer is given back once, whatever the library does.
TEST(Loss, SecondCompletionIsIgnored) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  host.Poll();
  fake.complete_twice();
  host.Poll();
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.Work().size(), 2u);
}

// With the pool used up a library of 12.9 or later drops and counts.
TEST(Loss, PoolIsBoundedAndTheRestCounted) {
  setenv("STEPSCOPE_GPU_BUDGET", "8", 1);
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  constexpr uint64_t kLaunches = 60000;  // of 256 bytes: twice the budget
  for (uint64_t i = 0; i < kLaunches; ++i) fake.Kernel();
  host.Detach();
  const uint64_t dropped = host.Count("gpu: dropped by CUPTI");
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(host.Work().size() + host.Calls().size() + dropped, 2 * kLaunches);
  EXPECT_EQ(static_cast<int64_t>(dropped), fake.count("dropped"));
  EXPECT_NE(host.report.find("STEPSCOPE_GPU_BUDGET"), std::string::npos);
  EXPECT_TRUE(host.Balanced());
}

// Older ones crash when refused, so they get scratch memory, and its records
// are counted.
TEST(Loss, OlderLibraryIsNeverRefused) {
  setenv("STEPSCOPE_GPU_BUDGET", "8", 1);
  Fake& fake = Fake::Get();
  fake.set("version", 26);
  TestHost host;
  ASSERT_TRUE(host.Record());
  constexpr uint64_t kLaunches = 60000;
  for (uint64_t i = 0; i < kLaunches; ++i) fake.Kernel();
  host.Detach();
  const uint64_t counted = host.Count("gpu: buffer pool used up") +
                           host.Count("gpu: dropped by CUPTI");
  EXPECT_GT(host.Count("gpu: buffer pool used up"), 0u);
  EXPECT_EQ(host.Work().size() + host.Calls().size() + counted, 2 * kLaunches);
  EXPECT_TRUE(host.Balanced());
}

TEST(Loss, SlowCaptureIsCounted) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  host.Poll();
  host.refuse_blocks = true;
  for (int i = 0; i < 10; ++i) fake.Kernel();
  host.Poll();
  host.refuse_blocks = false;
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.Count("gpu: capture too slow"), 20u);
  EXPECT_EQ(host.Work().size(), 1u);
  // The configuration was written again, after the one that was lost.
  EXPECT_EQ(host.All<stepscope_record_details>(STEPSCOPE_RECORD_DETAILS).size(),
            1u);
}

TEST(Loss, OnlyTheWindowIsRecorded) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_EQ(host.Attach(), STEPSCOPE_OK);
  fake.Kernel("warm-up");
  host.Poll();
  fake.Kernel("late warm-up");  // handed over after the window began
  usleep(2000);
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  host.begin =
      static_cast<uint64_t>(int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
  fake.Kernel("wanted");
  host.Detach();
  ASSERT_EQ(host.Work().size(), 1u);
  EXPECT_EQ(host.NameOf(host.Work()[0].head.name), "wanted");
  EXPECT_EQ(host.state, STEPSCOPE_DEVICE_RECORDING);  // nothing was lost
}

TEST(Loss, ContextThatIsDestroyedIsFlushedFirst) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  fake.destroy_context();
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.Work().size(), 2u);
}

}  // namespace
