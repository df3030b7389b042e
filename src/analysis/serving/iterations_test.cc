// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/iterations.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "analysis/serving/shared_time.h"
#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

IterationTable Compute(const std::string& text) {
  static std::shared_ptr<const Trace> trace;  // names live as long
  trace = TraceFromText(text);
  return ComputeIterations(EventTree(*trace));
}

// The engine works ahead: what the first iteration launched runs while the host
// is in the second, and the sampler's launch comes after the mark.
TEST(IterationsTest, OwnWhatTheyLaunchedWheneverItRuns) {
  const IterationTable table = Compute(R"(
    thread 1 engine
      0..5 before CudaRuntime correlation=1
      10..30 execute_context_1(8)_generation_0(0)
        12..14 launch CudaRuntime correlation=2
      32..34 sample CudaRuntime correlation=3
      40..60 execute_context_0(0)_generation_2(2)
        42..44 launch CudaRuntime correlation=4
    stream 7 GPU:0
      5..9 warm Kernel correlation=1
      20..50 prefill Kernel correlation=2
      50..55 argmax Kernel correlation=3
      55..58 decode Kernel correlation=4
      70..71 stray Kernel correlation=99
  )");
  ASSERT_EQ(table.list.size(), 2u);
  EXPECT_EQ(table.engine, "vLLM");
  const IterationRow& prefill = table.list[0];
  EXPECT_EQ(prefill.mark.kind, IterationKind::kPrefill);
  EXPECT_EQ(prefill.period_ns, 30);
  EXPECT_EQ(prefill.host_ns, 20);
  EXPECT_EQ(prefill.gpu_busy_ns, 35);
  EXPECT_EQ(prefill.late_ns, 15);  // from 40 to 55
  EXPECT_EQ(prefill.kernels, 2u);
  EXPECT_EQ(prefill.launches, 2u);
  const IterationRow& decode = table.list[1];
  EXPECT_EQ(decode.gpu_busy_ns, 3);
  EXPECT_EQ(decode.period_ns, std::nullopt);
  EXPECT_EQ(table.outside_ns, 4);
  EXPECT_EQ(table.unknown_ns, 1);
  EXPECT_EQ(table.total_busy_ns, 43);
}

TEST(IterationsTest, IdleTimeHasACause) {
  const IterationTable table = Compute(R"(
    thread 1 engine
      0..40 "step[DECODE bs=2]"
        10..12 launch CudaRuntime correlation=1
        30..32 graph GraphLaunch correlation=2
      50..60 "step[DECODE bs=2]"
        55..56 launch CudaRuntime correlation=3
    stream 7 GPU:0
      15..20 a Kernel correlation=1
      34..36 b Kernel correlation=2
      38..39 c Kernel correlation=2
      57..58 d Kernel correlation=3
  )");
  ASSERT_EQ(table.list.size(), 2u);
  // 0..10, 20..30 and 39..40 inside; 40..50 between; 10..15 and 30..34 queued.
  const IterationIdle& first = table.list[0].idle;
  EXPECT_EQ(first.host_inside, 21);
  EXPECT_EQ(first.host_between, 10);
  EXPECT_EQ(first.queued, 9);
  EXPECT_EQ(first.in_graph, 2);
  EXPECT_EQ(table.list[0].graphs, 1u);
  const IterationIdle& second = table.list[1].idle;
  EXPECT_EQ(second.host_inside, 5 + 2);
  EXPECT_EQ(second.queued, 2);
  // Idle and busy make up the window of the two marks.
  EXPECT_EQ(first.host_inside + first.host_between + first.queued +
                first.in_graph + second.host_inside + second.queued +
                table.total_busy_ns,
            60);
}

TEST(IterationsTest, OfNestedMarksTheRicherCounts) {
  const IterationTable table = Compute(R"(
    thread 1 engine
      0..40 scheduler.run_batch
        5..10 "step[DRAFT_EXTEND_V2 bs=4]"
        12..30 "step[TARGET_VERIFY bs=4]"
      50..90 execute_context_0(0)_generation_32(32)
        55..80 "step[DECODE bs=32]"
  )");
  ASSERT_EQ(table.list.size(), 2u);
  EXPECT_EQ(table.marks_seen, 5u);
  EXPECT_EQ(table.marks_nested, 3u);
  EXPECT_EQ(table.list[0].mark.kind, IterationKind::kVerify);
  EXPECT_EQ(table.list[0].mark.requests, 4);
  EXPECT_EQ(table.list[1].mark.requests, 32);
  EXPECT_EQ(table.list[1].mark.engine, "SGLang");
  EXPECT_EQ(table.engine, "SGLang");
}

TEST(IterationsTest, RanksCountOnceAndAddDeviceTime) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    const std::string r = std::to_string(rank);
    text += "process 10" + r + " rank=" + r + R"(
    thread 1 engine
      0..10 execute_context_0(0)_generation_4(4)
        2..3 launch CudaRuntime correlation=1
      20..30 execute_context_0(0)_generation_4(4)
    stream 7 GPU:0
      5..9 decode Kernel correlation=1
    )";
  }
  const IterationTable table = Compute(text);
  EXPECT_EQ(table.list.size(), 4u);
  ASSERT_EQ(table.kinds.size(), 1u);
  EXPECT_EQ(table.kinds[0].count, 2u);
  EXPECT_EQ(table.kinds[0].tokens_generation, 8);
  EXPECT_EQ(table.kinds[0].gpu_busy_ns, 8);
  EXPECT_EQ(table.kinds[0].tokens_per_s, 4 / 20e-9);
}

// A server's program of one thread with marks, and of one that launches besides
// it: steps are the iterations from mark to mark. Work runs on two streams of
// each device, early or late; of some the launch was not recorded.
class ProgramText {
 public:
  explicit ProgramText(unsigned seed) : random_(seed) {}

  std::string Make() {
    int64_t now = Upto(20);
    const int64_t count = 1 + Upto(6);
    for (std::string* one : {&device_[0][0], &device_[1][0]})
      *one += "0..0 first Kernel correlation=1\n";
    for (int64_t i = 0; i < count; ++i) {
      const int64_t end = now + 20 + Upto(40);
      const int64_t next = i + 1 < count ? end + Upto(30) : end;
      engine_ += Event(now, next,
                       "ProfileStep#" + std::to_string(i) + " ProfileStep") +
                 Event(now, end, "\"step[DECODE bs=2]\"");
      for (int64_t k = Upto(5) + (i == 0 ? 1 : 0); k-- > 0;)
        Launch(engine_, now + Upto(next - now - 1));
      for (int64_t k = Upto(3); k-- > 0;)
        Launch(helper_, now + Upto(next - now - 1));
      for (int64_t k = Upto(2); k-- > 0;)
        AddKernels(now + Upto(next - now), 1'000'000);
      now = next;
    }
    std::string text =
        "thread 1 engine\n" + engine_ + "thread 2 helper\n" + helper_;
    for (size_t device = 0; device < 2; ++device)
      for (size_t stream = 0; stream < 2; ++stream)
        text += "stream " + std::to_string(7 + stream) +
                (device == 0 ? " GPU:0\n" : " NPU:0\n") +
                device_[device][stream];
    return text;
  }

 private:
  int64_t Upto(int64_t n) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(n));
  }
  static std::string Event(int64_t begin, int64_t end,
                           const std::string& what) {
    return std::to_string(begin) + ".." + std::to_string(end) + " " + what +
           "\n";
  }
  void Launch(std::string& thread, int64_t at) {
    thread += Event(
        at, at + 1,
        "launch CudaRuntime correlation=" + std::to_string(++correlation_));
    AddKernels(at, correlation_);
  }
  void AddKernels(int64_t since, int64_t correlation) {
    std::string* const device = device_[static_cast<size_t>(Upto(2))];
    for (int64_t kernels = 1 + Upto(2); kernels-- > 0;) {
      const int64_t begin = since + Upto(50);
      device[static_cast<size_t>(Upto(2))] +=
          Event(begin, begin + 1 + Upto(25),
                "k Kernel correlation=" + std::to_string(correlation));
    }
  }

  std::mt19937 random_;
  std::string engine_;
  std::string helper_;
  std::string device_[2][2];
  int64_t correlation_ = 0;
};

// The tables iterations and idle divide the time in which a device had nothing
// to run: by what the next work waited for, and by what went on meanwhile.
// Where the steps are the iterations from mark to mark, both divide the same.
TEST(IterationsTest, WhatADeviceWaitedIsWhatItWasIdle) {
  int64_t idle_of_all = 0;
  int compared = 0;
  for (unsigned round = 0; round < 200; ++round) {
    const std::string text = ProgramText(round).Make();
    const std::shared_ptr<const Trace> trace = TraceFromText(text);
    SummaryOptions options;
    options.views = kIterationView | kIdleView;
    const Summary summary = ComputeSummary(*trace, options);
    // Then steps are where the device was at work on them.
    if (summary.step_time.device_paced) continue;
    ++compared;
    IterationIdle by_wait;
    for (const IterationKindRow& row : summary.iterations.kinds)
      by_wait.Add(row.idle);
    ASSERT_EQ(summary.idle.devices.size(), 2u) << text;
    int64_t idle = 0;
    for (const IdleDevice& device : summary.idle.devices)
      idle += device.idle_ns;
    ASSERT_EQ(by_wait.host_inside + by_wait.host_between + by_wait.queued +
                  by_wait.in_graph,
              idle)
        << text;
    idle_of_all += idle;
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(idle_of_all, 0);
}

// Another thread's work does not end a wait, and does not hide it.
TEST(IterationsTest, IdleTimeBesideOthersWorkHasACause) {
  const IterationTable table = Compute(R"(
    thread 1 engine
      0..40 "step[DECODE bs=2]"
        2..3 launch CudaRuntime correlation=1
        30..31 launch CudaRuntime correlation=2
    thread 2 helper
      12..13 launch CudaRuntime correlation=3
    stream 7 GPU:0
      5..10 a Kernel correlation=1
      15..20 other Kernel correlation=3
      24..25 stray Kernel correlation=99
      33..40 b Kernel correlation=2
  )");
  ASSERT_EQ(table.list.size(), 1u);
  const IterationIdle& idle = table.list[0].idle;
  EXPECT_EQ(idle.host_inside, 2 + 5 + 4 + 5);
  EXPECT_EQ(idle.queued, 3 + 3);  // before a, and from 30 to 33
  EXPECT_EQ(idle.in_graph, 0);
}

// Iterations stand by start, whatever thread they are of.
TEST(IterationsTest, WorkOfSeveralThreadsKeepsItsOwner) {
  const IterationTable table = Compute(R"(
    process 7 rank=0
    thread 1 engine
      20..30 decode[bs=1/1 tok=1 d=1]
        22..23 launch CudaRuntime correlation=1
    stream 3 GPU:0
      24..28 first Kernel correlation=1
    process 8 rank=1
    thread 1 engine
      0..10 prefill[bs=1 tok=8 ctx=[8]]
        2..3 launch CudaRuntime correlation=1
    stream 3 GPU:1
      5..9 second Kernel correlation=1
  )");
  ASSERT_EQ(table.list.size(), 2u);
  EXPECT_EQ(table.list[0].start_ns, 0);
  EXPECT_EQ(table.list[0].mark.kind, IterationKind::kPrefill);
  // Work stands stream by stream.
  EXPECT_EQ(table.owners, (std::vector<uint32_t>{1, 0}));
}

// Two engines, each on a thread of its own, and two replicas of one of them.
TEST(IterationsTest, EnginesOfOneProcessKeepTheirOwn) {
  const IterationTable table = Compute(R"(
    thread 1 first
      0..10 execute_context_0(0)_generation_4(4)
        2..3 launch CudaRuntime correlation=1
      30..40 execute_context_0(0)_generation_4(4)
    thread 2 second
      0..10 execute_context_0(0)_generation_4(4)
        4..5 launch CudaRuntime correlation=2
      40..50 execute_context_0(0)_generation_4(4)
    thread 3 third
      5..15 "step[EXTEND bs=1 toks=8]"
        7..8 launch CudaRuntime correlation=3
      50..60 "step[DECODE bs=1]"
    stream 7 GPU:0
      3..13 a Kernel correlation=1
      13..20 b Kernel correlation=2
      20..26 c Kernel correlation=3
  )");
  EXPECT_EQ(table.engine, "vLLM, SGLang");
  ASSERT_EQ(table.list.size(), 6u);
  // By start, then by thread.
  EXPECT_EQ(table.list[0].period_ns, 30);
  EXPECT_EQ(table.list[0].gpu_busy_ns, 10);
  EXPECT_EQ(table.list[1].period_ns, 40);
  EXPECT_EQ(table.list[1].gpu_busy_ns, 7);
  EXPECT_EQ(table.list[2].mark.engine, "SGLang");
  EXPECT_EQ(table.list[2].period_ns, 45);
  EXPECT_EQ(table.list[2].gpu_busy_ns, 6);
  EXPECT_EQ(table.total_busy_ns, 23);
  EXPECT_EQ(table.outside_ns, 0);
  // Threads of one process are no ranks, whatever their marks say.
  for (const IterationRow& one : table.list)
    EXPECT_FALSE(one.repeats_another_rank) << one.name;
}

TEST(IterationsTest, NoneWithoutMarks) {
  const IterationTable table = Compute("thread 1 main\n  0..10 forward\n");
  EXPECT_TRUE(table.list.empty());
  EXPECT_TRUE(table.kinds.empty());
}

// Against a count of every nanosecond.
TEST(SharedTimeTest, SharesAddUpToTheBusyTime) {
  std::mt19937 rng(3);
  for (int round = 0; round < 200; ++round) {
    constexpr uint32_t kOwners = 4;
    constexpr int64_t kEnd = 60;
    SharedTime shared(kOwners);
    std::vector<std::vector<int>> runs(kOwners, std::vector<int>(kEnd));
    for (int i = 0; i < 8; ++i) {
      const auto owner = static_cast<uint32_t>(rng() % kOwners);
      const auto begin = static_cast<int64_t>(rng() % kEnd);
      const auto end = begin + static_cast<int64_t>(
                                   rng() % static_cast<uint64_t>(kEnd - begin));
      shared.Add(owner, {begin, end});
      for (int64_t t = begin; t < end; ++t)
        runs[owner][static_cast<size_t>(t)] = 1;
    }
    shared.Settle();
    std::vector<double> fair(kOwners);
    int64_t busy = 0;
    for (size_t t = 0; t < kEnd; ++t) {
      int at_work = 0;
      for (const auto& one : runs) at_work += one[t];
      busy += at_work > 0;
      for (uint32_t o = 0; o < kOwners; ++o)
        if (runs[o][t] != 0) fair[o] += 1.0 / at_work;
    }
    int64_t sum = 0;
    for (uint32_t o = 0; o < kOwners; ++o) {
      sum += shared.of(o);
      EXPECT_NEAR(static_cast<double>(shared.of(o)), fair[o], 16);
    }
    EXPECT_EQ(sum, busy);
    EXPECT_EQ(shared.total(), busy);
  }
}

}  // namespace
}  // namespace stepscope
