// SPDX-License-Identifier: Apache-2.0
//
// Calls into CUDA: which are recorded, on which thread, and what becomes of
// those that there is no room for.
#include <cupti.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "test_host.h"

namespace {

constexpr uint32_t kGetDevice = 1;       // of the runtime
constexpr uint32_t kLaunch = 2;          // likewise
constexpr uint32_t kSynchronize = 5;     // likewise
constexpr uint32_t kLaunchByDriver = 2;  // of the driver

using Names = std::vector<std::string>;

Names NamesOfCalls(const TestHost& host) {
  Names names;
  for (const stepscope_record_call& call : host.Calls())
    names.push_back(host.NameOf(call.head.name));
  return names;
}

TEST(Calls, OnlyThoseThatDoWork) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  EXPECT_EQ(fake.call(kGetDevice), 0u);
  const uint32_t id = fake.call(kSynchronize);
  host.Detach();
  ASSERT_EQ(NamesOfCalls(host), Names{"cudaDeviceSynchronize"});
  const stepscope_record_call call = host.Calls()[0];
  EXPECT_EQ(call.correlation, id);
  EXPECT_GE(call.start, host.begin);
  EXPECT_LE(call.start, call.end);
  EXPECT_LE(call.end, host.end);
}

TEST(Calls, AllOfThemOnRequest) {
  setenv("STEPSCOPE_GPU_CALLS", "all", 1);
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.call(kGetDevice);
  host.Detach();
  EXPECT_EQ(NamesOfCalls(host), Names{"cudaGetDevice"});
}

// The runtime launches through the driver: that is one call, not two.
TEST(Calls, TheDriversPartOfARuntimeCallIsNotACall) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.enter(kLaunch);
  fake.driver_call(kLaunchByDriver);
  fake.leave(kLaunch);
  fake.driver_call(kLaunchByDriver);  // the program's own
  host.Detach();
  EXPECT_EQ(NamesOfCalls(host), (Names{"cudaLaunchKernel", "cuLaunchKernel"}));
  EXPECT_TRUE(host.Balanced());
}

TEST(Calls, UnderWayAtABorderOfTheWindowAreLeftOut) {
  Fake& fake = Fake::Get();
  TestHost host;
  fake.enter(kSynchronize);
  ASSERT_TRUE(host.Record());
  fake.leave(kSynchronize);  // nobody saw it begin
  const uint32_t whole = fake.call(kSynchronize);
  fake.enter(kSynchronize);
  host.Detach();
  fake.leave(kSynchronize);  // nobody sees it end
  ASSERT_EQ(host.Calls().size(), 1u);
  EXPECT_EQ(host.Calls()[0].correlation, whole);
}

// What CUPTI kept for such a call is freed by then: nobody may touch it, as
// AddressSanitizer sees.
TEST(Calls, BegunBeforeCuptiWasFinalisedAreLeftOut) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.enter(kSynchronize);
  host.Detach();
  const auto finalise =
      reinterpret_cast<CUptiResult (*)()>(dlsym(RTLD_DEFAULT, "cuptiFinalize"));
  ASSERT_EQ(finalise(), CUPTI_SUCCESS);
  host.blocks.clear();
  ASSERT_TRUE(host.Record());
  fake.leave(kSynchronize);
  fake.call(kSynchronize);
  host.Detach();
  EXPECT_EQ(host.Calls().size(), 1u);
}

TEST(Calls, SayWhichNodesOfGraphsTheyMade) {
  constexpr uint32_t kOther = 4;  // of the runtime: sets memory
  Fake& fake = Fake::Get();
  TestHost host;
  fake.node(1, 0);  // before there is a recording
  ASSERT_TRUE(host.Record());
  host.Poll();
  fake.enter(kLaunch);
  fake.node(2, 0);
  fake.leave(kLaunch);
  fake.enter(kOther);
  fake.node(3, 2);
  fake.leave(kOther);
  fake.node(4, 0);  // in no call that we know
  host.Detach();
  fake.node(5, 0);
  const auto nodes = host.All<stepscope_record_node>(STEPSCOPE_RECORD_NODE);
  ASSERT_EQ(nodes.size(), 4u);
  const std::vector<stepscope_record_call> calls = host.Calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(nodes[0].node, 2u);
  EXPECT_EQ(nodes[0].original, 0u);
  EXPECT_EQ(nodes[0].correlation, calls[0].correlation);
  EXPECT_EQ(nodes[1].node, 3u);  // created by the call that copies it
  EXPECT_EQ(nodes[1].correlation, calls[1].correlation);
  EXPECT_EQ(nodes[2].node, 3u);
  EXPECT_EQ(nodes[2].original, 2u);
  EXPECT_EQ(nodes[3].node, 4u);
  EXPECT_EQ(nodes[3].correlation, 0u);
  EXPECT_TRUE(host.Balanced());
}

TEST(Calls, OfManyThreadsComeOnceEach) {
  constexpr size_t kThreads = 4;
  constexpr size_t kEach = 5000;
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (size_t i = 0; i < kEach; ++i) fake.call(kSynchronize);
    });
  for (std::thread& thread : threads) thread.join();
  host.Detach();
  std::vector<uint64_t> ids;
  std::vector<uint32_t> callers;
  for (const stepscope_record_call& call : host.Calls()) {
    ids.push_back(call.correlation);
    callers.push_back(call.thread);
  }
  EXPECT_EQ(ids.size(), kThreads * kEach);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
  std::sort(callers.begin(), callers.end());
  callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
  EXPECT_EQ(callers.size(), kThreads);
  EXPECT_TRUE(host.Balanced());
}

TEST(Calls, WithoutRoomAreCounted) {
  constexpr uint64_t kMost = 1u << 17;
  constexpr uint64_t kTooMany = 100;
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  for (uint64_t i = 0; i < kMost + kTooMany; ++i) fake.call(kSynchronize);
  host.Poll();
  EXPECT_EQ(host.Calls().size(), kMost);
  EXPECT_EQ(host.Count("gpu: buffer pool used up"), kTooMany);
  fake.call(kSynchronize);  // there is room again
  host.Detach();
  EXPECT_EQ(host.Calls().size(), kMost + 1);
  EXPECT_TRUE(host.Balanced());
}

}  // namespace
