// SPDX-License-Identifier: Apache-2.0
//
// Work that the host wants left out for a while: it is not recorded and not
// lost, and what was launched before and after is all there.
#include <cupti.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "test_host.h"

namespace left_out {
namespace {

constexpr uint32_t kLaunch = 2;       // of the runtime
constexpr uint32_t kSynchronize = 5;  // likewise

using Names = std::vector<std::string>;

Names NamesOfWork(const TestHost& host) {
  Names names;
  for (const stepscope_record_work& work : host.Work())
    names.push_back(host.NameOf(work.head.name));
  return names;
}

std::multiset<uint64_t> Launches(const TestHost& host) {
  std::multiset<uint64_t> ids;
  for (const stepscope_record_call& call : host.Calls())
    ids.insert(call.correlation);
  return ids;
}

bool EachHasItsLaunch(const TestHost& host) {
  const std::multiset<uint64_t> launches = Launches(host);
  for (const stepscope_record_work& work : host.Work())
    if (launches.count(work.correlation) != 1) return false;
  return true;
}

bool NothingWasLost(const TestHost& host) {
  for (const stepscope_record_stats& stats :
       host.All<stepscope_record_stats>(STEPSCOPE_RECORD_STATS))
    if (stats.meaning == STEPSCOPE_STATS_REJECTED) return false;
  return host.Balanced() && host.state == STEPSCOPE_DEVICE_RECORDING;
}

TEST(LeftOut, WorkIsNeitherRecordedNorLost) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  const int64_t kinds = fake.count("enabled");
  const int64_t calls = fake.count("single_calls");
  fake.Kernel("before");
  ASSERT_TRUE(host.SetRecording(false));
  EXPECT_LT(fake.count("enabled"), kinds);
  fake.Kernel("left out");
  host.Poll();
  EXPECT_EQ(fake.count("single_calls"), 0);
  for (const auto kind : {FakeWork::kKernel, FakeWork::kMemcpy,
                          FakeWork::kMemset, FakeWork::kPeer}) {
    FakeWork work;
    work.kind = kind;
    fake.work(&work);
  }
  fake.call(kSynchronize);
  ASSERT_TRUE(host.SetRecording(true));
  EXPECT_EQ(fake.count("enabled"), kinds);
  EXPECT_EQ(fake.count("single_calls"), calls);
  fake.Kernel("after");
  host.Detach();
  EXPECT_EQ(NamesOfWork(host), (Names{"before", "after"}));
  EXPECT_TRUE(EachHasItsLaunch(host));
  EXPECT_TRUE(NothingWasLost(host));
  for (const char* what : {"enabled", "single_calls", "subscribers"})
    EXPECT_EQ(fake.count(what), 0) << what;
}

TEST(LeftOut, WorkInFlightIsRecordedOnce) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  FakeWork slow;
  slow.name = "slow";
  slow.in_flight = true;
  fake.work(&slow);
  ASSERT_TRUE(host.SetRecording(false));
  host.Poll();
  EXPECT_TRUE(host.Work().empty());
  fake.Kernel("left out");
  fake.finish();
  host.Poll();
  ASSERT_TRUE(host.SetRecording(true));
  host.Detach();
  EXPECT_EQ(NamesOfWork(host), Names{"slow"});
  EXPECT_TRUE(EachHasItsLaunch(host));
  EXPECT_TRUE(NothingWasLost(host));
}

// Its kernel may have been recorded already.
TEST(LeftOut, CallUnderWayIsStillLogged) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.enter(kLaunch);
  ASSERT_TRUE(host.SetRecording(false));
  fake.leave(kLaunch);
  host.Poll();
  EXPECT_EQ(host.Calls().size(), 1u);
  host.Detach();
}

// Nobody saw them end. A thread's calls of which that is not known have little
// room.
TEST(LeftOut, CallsThatAreNotSeenToEndTakeNoRoom) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  for (int i = 0; i < 20; ++i) {
    fake.enter(kSynchronize);
    ASSERT_TRUE(host.SetRecording(false));
    host.Poll();
    fake.leave(kSynchronize);
    ASSERT_TRUE(host.SetRecording(true));
  }
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.Calls().size(), 1u);
  EXPECT_TRUE(EachHasItsLaunch(host));
  EXPECT_TRUE(NothingWasLost(host));
}

TEST(LeftOut, BesideThreadsThatLaunch) {
  constexpr int kRounds = 20;
  constexpr uint32_t kLeast = 5;  // launches of each thread in a phase
  // What a phase wants of its launches; between two of them both will do.
  enum : int { kEither, kAll, kNone };
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  std::atomic<int> phase{kEither};
  std::atomic<uint32_t> turn{0};  // bumped as a phase begins and ends
  std::atomic<bool> done{false};
  struct Launcher {
    std::atomic<uint32_t> launches{0};
    std::set<uint64_t> recorded;
    std::set<uint64_t> left_out;
    std::thread thread;
  };
  std::array<Launcher, 2> launchers;
  for (Launcher& self : launchers)
    self.thread = std::thread([&] {
      while (!done) {
        const uint32_t before = turn;
        const int wanted = phase;
        const uint32_t id = fake.Kernel();
        if (turn == before && wanted == kAll) self.recorded.insert(id);
        if (turn == before && wanted == kNone) self.left_out.insert(id);
        ++self.launches;
        std::this_thread::yield();
      }
    });
  const auto run = [&](int wanted) {
    phase = wanted;
    ++turn;
    for (Launcher& launcher : launchers) {
      const uint32_t until = launcher.launches + kLeast;
      while (launcher.launches < until) std::this_thread::yield();
    }
    phase = kEither;
    ++turn;
  };
  for (int i = 0; i < kRounds; ++i) {
    ASSERT_TRUE(host.SetRecording(true));
    run(kAll);
    ASSERT_TRUE(host.SetRecording(false));
    host.Poll(i % 2 == 0);
    run(kNone);
  }
  done = true;
  for (Launcher& launcher : launchers) launcher.thread.join();
  host.Detach();
  std::multiset<uint64_t> work;
  for (const stepscope_record_work& kernel : host.Work())
    work.insert(kernel.correlation);
  const std::multiset<uint64_t> launches = Launches(host);
  for (const Launcher& launcher : launchers) {
    EXPECT_GT(launcher.recorded.size(), 0u);
    EXPECT_GT(launcher.left_out.size(), 0u);
    for (const uint64_t id : launcher.recorded) {
      EXPECT_EQ(work.count(id), 1u) << id;
      EXPECT_EQ(launches.count(id), 1u) << id;
    }
    for (const uint64_t id : launcher.left_out)
      EXPECT_EQ(work.count(id), 0u) << id;
  }
  EXPECT_TRUE(NothingWasLost(host));
}

// Callbacks were taken back, perhaps under a call: CUPTI stays.
TEST(LeftOut, CuptiIsNotFinalisedAfterwards) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.Kernel("recorded");
  fake.enter(kSynchronize);
  ASSERT_TRUE(host.SetRecording(false));
  host.Poll();
  fake.leave(kSynchronize);
  host.Detach();
  fake.call(kSynchronize);
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
  EXPECT_EQ(NamesOfWork(host), Names{"recorded"});
  EXPECT_TRUE(NothingWasLost(host));
  for (const char* what : {"enabled", "single_calls", "domains", "subscribers"})
    EXPECT_EQ(fake.count(what), 0) << what;
}

// Recording stops between the two halves of leaving out.
TEST(LeftOut, AtTheMomentOfTheStop) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.Kernel("recorded");
  ASSERT_TRUE(host.SetRecording(false));
  fake.Kernel("left out");
  host.Detach();
  EXPECT_EQ(NamesOfWork(host), Names{"recorded"});
  EXPECT_TRUE(EachHasItsLaunch(host));
  EXPECT_TRUE(NothingWasLost(host));
  // The next recording begins with all of it.
  host.blocks.clear();
  ASSERT_TRUE(host.Record());
  fake.Kernel("again");
  host.Detach();
  EXPECT_EQ(NamesOfWork(host), Names{"again"});
  EXPECT_TRUE(EachHasItsLaunch(host));
}

TEST(LeftOut, RefusalIsToldAndCanBeTriedAgain) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  for (const char* function :
       {"cuptiActivityDisable", "cuptiActivityEnable", "cuptiEnableCallback"}) {
    const bool on = std::string(function) != "cuptiActivityDisable";
    fake.fail(function, CUPTI_ERROR_UNKNOWN);
    EXPECT_FALSE(host.SetRecording(on)) << function;
    fake.fail(function, 0);
    EXPECT_TRUE(host.SetRecording(on)) << function;
    if (on) fake.Kernel(function);
    ASSERT_TRUE(host.SetRecording(false));
    host.Poll();
  }
  host.Detach();
  EXPECT_EQ(NamesOfWork(host),
            (Names{"cuptiActivityEnable", "cuptiEnableCallback"}));
  EXPECT_TRUE(EachHasItsLaunch(host));
}

}  // namespace
}  // namespace left_out
