// SPDX-License-Identifier: Apache-2.0
//
// Advice about threads, locks and processors. Times are drawn in microseconds,
// those of counters and of other threads in nanoseconds.
#include <gtest/gtest.h>

#include <string>

#include "analysis/advice/host_program_test_support.h"
#include "analysis/advice/wait_names.h"

namespace stepscope {
namespace {

// Samples of the recorder in the middle of the steps.
std::string Ready(double threads) {
  std::string text;
  for (const char* at : {"2500000", "4500000", "6500000"}) {
    text += std::string("counter ") + at + " \"Threads ready to run\" " +
            std::to_string(threads) + "\n";
  }
  return text;
}
std::string Thread(int id, double running, double waiting) {
  const std::string label = "python3 (" + std::to_string(id) + ")\" ";
  std::string text;
  for (const char* at : {"2500000", "4500000", "6500000"}) {
    const std::string counter = std::string("counter ") + at + " ";
    text += counter + "\"CPU of " + label + std::to_string(running) + "\n" +
            counter + "\"CPU wait of " + label + std::to_string(waiting) + "\n";
  }
  return text;
}

// The steps' own process comes last.
Advice AdviceFor(const std::string& facts) {
  HostProgram program;
  program.Add(10, 980, "aten::mm Operator").Raw(facts);
  return program.Ask();
}

TEST(ThreadAdviceTest, MoreReadyThreadsThanProcessors) {
  const Advice advice = AdviceFor("process 100 cpus=2\n" + Ready(8) +
                                  Thread(1, 0.25, 0.75) + Thread(2, 0.25, 0.5));
  const Finding* found = FindHost(advice, "oversubscribed");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->finding,
            "The job has more threads ready to run than processors: 8.0 on "
            "average, for 2 processors.");
  EXPECT_EQ(found->saving_ns, 742'500);  // of 990 us
  EXPECT_NEAR(found->saving_ratio, 0.75, 1e-9);
  EXPECT_TRUE(found->average);
  EXPECT_FALSE(found->replayed);
  EXPECT_TRUE(Says(*found, "Thread python3 (1) was ready to run"));
  EXPECT_NE(found->to_try[0].find("at most 2 threads"), std::string::npos);
}

TEST(ThreadAdviceTest, AsManyReadyThreadsAsProcessorsAreNoFinding) {
  // A busy machine makes them wait, but there are not too many.
  const std::string use = Ready(2) + Thread(1, 0.4, 0.6) + Thread(2, 0.4, 0.6);
  EXPECT_EQ(FindHost(AdviceFor("process 100 cpus=2\n" + use), "oversubscribed"),
            nullptr);
  EXPECT_EQ(
      FindHost(AdviceFor("process 100 cpus=64\n" + Ready(8)), "oversubscribed"),
      nullptr);
}

TEST(ThreadAdviceTest, ABusyMachineAsksForMore) {
  const std::string crowded = "cpu 0.3 0.99\nprocess 100 cpus=2\n";
  const std::string wait = Thread(1, 0.1, 0.8);
  EXPECT_EQ(FindHost(AdviceFor(crowded + Ready(3) + wait), "oversubscribed"),
            nullptr);
  EXPECT_NE(FindHost(AdviceFor("process 100 cpus=2\n" + Ready(3) + wait),
                     "oversubscribed"),
            nullptr);
  const Advice advice = AdviceFor(crowded + Ready(8) + wait);
  const Finding* found = FindHost(advice, "oversubscribed");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(Says(*found, "busy with other programs too"));
}

TEST(ThreadAdviceTest, WhatComesBeforeTheStepsIsNotAveragedIn) {
  std::string facts = "process 100 cpus=2\n";
  for (int i = 1; i < 100; ++i) {
    facts += "counter -" + std::to_string(i) +
             "000000 \"Threads ready to run\" 0.5\n";
  }
  facts += Ready(8) + Thread(1, 0.25, 0.75);
  EXPECT_NE(FindHost(AdviceFor(facts), "oversubscribed"), nullptr);
}

TEST(ThreadAdviceTest, ProcessorsAreThoseThatTheJobMayUse) {
  const Advice advice = AdviceFor("process 100 cpus=64 cpus_usable=1.5\n" +
                                  Ready(8) + Thread(1, 0.25, 0.75));
  const Finding* found = FindHost(advice, "oversubscribed");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->finding.find("for 1.5 processors"), std::string::npos);
  EXPECT_NE(found->to_try[0].find("at most 1 thread "), std::string::npos);
}

TEST(ThreadAdviceTest, WaitsOfOthersAreNotTheStepsWaits) {
  // Six workers wait all the time, the step never does.
  std::string facts;
  for (int i = 0; i < 6; ++i) {
    facts += "process " + std::to_string(200 + i) + " cpus=2\nthread " +
             std::to_string(50 + i) + " w\n0..9000000 decode\n" + Ready(1) +
             Thread(50 + i, 0.2, 0.8);
  }
  const Advice advice =
      AdviceFor(facts + "process 100 cpus=2\n" + Ready(1) + Thread(1, 1, 0));
  EXPECT_EQ(FindHost(advice, "oversubscribed"), nullptr);
}

TEST(ThreadAdviceTest, LoaderWorkersAreCountedAgainstTheProcessors) {
  std::string facts;
  for (int i = 0; i < 6; ++i) {
    facts += "process " + std::to_string(200 + i) + " cpus=2\nthread " +
             std::to_string(50 + i) + " w\n0..9000000 decode\n" + Ready(1) +
             Thread(50 + i, 0.2, 0.8);
  }
  const Advice advice = AdviceFor(facts + "process 100 cpus=2\n" + Ready(1) +
                                  Thread(1, 0.4, 0.6));
  const Finding* found = FindHost(advice, "oversubscribed");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(Says(*found,
                   "6.0 of the threads that were ready are in 6 worker "
                   "processes, 1.0 in processes that step."));
  EXPECT_NE(found->to_try[0].find("num_workers"), std::string::npos);
}

// A forked process has no sampler of its own; its parent's looks at it.
TEST(ThreadAdviceTest, WorkersThatTheParentSampledCount) {
  std::string facts;
  std::string children;
  for (int i = 0; i < 6; ++i) {
    const std::string pid = std::to_string(200 + i);
    facts += "process " + pid + " cpus=2\nthread " + std::to_string(50 + i) +
             " w\n0..9000000 decode\n";
    children +=
        "counter 4500000 \"Threads ready to run in child " + pid + "\" 1\n";
  }
  // One that is not in the trace is not the job's.
  children += "counter 4500000 \"Threads ready to run in child 999\" 50\n";
  const Advice advice = AdviceFor(facts + "process 100 cpus=2\n" + Ready(1) +
                                  Thread(1, 0.4, 0.6) + children);
  const Finding* found = FindHost(advice, "oversubscribed");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->finding.find("7.0 on average"), std::string::npos);
  EXPECT_TRUE(Says(*found, "in 6 worker processes, 1.0 in processes"));
}

HostProgram WaitsForQueue() {
  HostProgram program;
  program.Add(10, 110, "aten::mm Operator")
      .Add(120, 920, "\"Queue.get (queue.py:154)\" PythonFunction")
      .Add(130, 910, "\"Condition.wait (threading.py:288)\" PythonFunction");
  return program;
}

TEST(ThreadAdviceTest, AWaitForAnotherThreadIsNamedAndReplayed) {
  HostProgram program = WaitsForQueue();
  std::string other = "process 100\nthread 2 decoder\n";
  for (int i = 0; i < kHostSteps; ++i) {
    other += std::to_string(i * 1'000'000 + 100'000) + ".." +
             std::to_string(i * 1'000'000 + 900'000) +
             " \"decode (a.py:3)\" PythonFunction\n";
  }
  program.Raw(other);
  const Advice advice = program.Ask();
  const Finding* found = FindHost(advice, "thread_wait");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->finding,
            "The stepping thread waits for another thread in \"Queue.get "
            "(queue.py:154)\": 800.00 us per step (median).");
  EXPECT_TRUE(found->replayed);
  EXPECT_EQ(found->saving_ns, 800'000);
  EXPECT_TRUE(Says(*found, "10 calls in 10 of 10 steps"));
  EXPECT_TRUE(Says(*found,
                   "Meanwhile thread 2 (decoder) was in \"decode (a.py:3)\" "
                   "for 780.00 us per step on average."));
  EXPECT_EQ(FindHost(advice, "callback"), nullptr);
}

TEST(ThreadAdviceTest, WhoHoldsALockIsNotMadeUp) {
  HostProgram program;
  program.Add(10, 110, "aten::mm Operator")
      .Add(120, 920, "Lock.acquire(cache)");
  const Advice advice = program.Ask();
  const Finding* found = FindHost(advice, "thread_wait");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->finding.find("waits for a lock in \"Lock.acquire(cache)\""),
            std::string::npos);
  EXPECT_TRUE(Says(*found, "the trace does not say what is waited for"));
}

TEST(ThreadAdviceTest, AWaitOfTheLoaderIsTheLoaders) {
  HostProgram program;
  program.Add(10, 110, "aten::mm Operator")
      .Add(115, 930, "\"enumerate(DataLoader)#_MultiProcessing\" Dataloader")
      .Add(120, 920, "\"Queue.get (queue.py:154)\" PythonFunction");
  const Advice advice = program.Ask();
  EXPECT_EQ(FindHost(advice, "thread_wait"), nullptr);
  EXPECT_NE(FindHost(advice, "data_loader"), nullptr);
}

TEST(ThreadAdviceTest, NamesOfWaits) {
  for (const char* lock :
       {"pthread_mutex_lock", "Lock.acquire(cache)", "take_gil",
        "<built-in method acquire of _thread.lock object at 0x7f00>"}) {
    EXPECT_EQ(KindOfWait(lock), WaitKind::kLock) << lock;
  }
  for (const char* wait :
       {"pthread_cond_wait", "Thread.join (threading.py:1)", "queue.get",
        "queue.py(154): get", "threading.py(288): wait",
        "Future.result (_base.py:428)"}) {
    EXPECT_EQ(KindOfWait(wait), WaitKind::kHandOver) << wait;
  }
  for (const char* other :
       {"aten::mm", "get (cache.py:3)", "Cache.get (a.py:1)", "wait_and_see",
        "join (os.py:3)", ""}) {
    EXPECT_EQ(KindOfWait(other), WaitKind::kNone) << other;
  }
}

// Two threads in Python functions all the time.
Advice AdviceForTwo(double first, double second, const std::string& use = "") {
  HostProgram program;
  program.Raw(use);
  program.Add(5, 985, "\"train (a.py:1)\" PythonFunction")
      .Raw(
          "process 100 cpus=4\nthread 2 other\n0..9990000 \"log (a.py:9)\" "
          "PythonFunction\n" +
          Ready(first + second) + Thread(1, first, 0) + Thread(2, second, 0));
  return program.Ask();
}

TEST(ThreadAdviceTest, ThreadsThatShareOneProcessorTakeTurns) {
  const Advice advice = AdviceForTwo(0.5, 0.5);
  const Finding* found = FindHost(advice, "threads_take_turns");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->finding.find("2 threads in Python functions use one"),
            std::string::npos);
  EXPECT_NEAR(found->saving_ratio, 0.48, 0.011);
  EXPECT_TRUE(Says(*found, "On average 2.0 threads were in Python functions"));
}

TEST(ThreadAdviceTest, ThreadsThatRunTogetherDoNotTakeTurns) {
  EXPECT_EQ(FindHost(AdviceForTwo(0.95, 0.95), "threads_take_turns"), nullptr);
  // The other one waits for a file, say.
  EXPECT_EQ(FindHost(AdviceForTwo(0.95, 0.05), "threads_take_turns"), nullptr);
  // They wait for a processor as well.
  EXPECT_EQ(
      FindHost(AdviceForTwo(0.5, 0.5, "cpu 0.3 0.99\n"), "threads_take_turns"),
      nullptr);
  // Both do.
  EXPECT_EQ(FindHost(AdviceForTwo(0.3, 0.2), "threads_take_turns"), nullptr);
}

// The wait lies in every fourth step: on average it is most of the time, and
// the median step has none of it.
TEST(ThreadAdviceTest, ALoaderThatStallsFewStepsIsAFinding) {
  std::string text = "thread 1 main\n";
  int64_t at = 0;
  for (int i = 0; i < 16; ++i) {
    const int64_t wait = i % 4 == 3 ? 20'000'000 : 1'000;
    const int64_t end = at + wait + 1'000'000;
    text += std::to_string(at) + ".." + std::to_string(end) + " ProfileStep#" +
            std::to_string(i) + " ProfileStep\n" + std::to_string(at) + ".." +
            std::to_string(at + wait) + " next Dataloader\n" +
            std::to_string(at + wait) + ".." + std::to_string(end) +
            " aten::mm Operator\n";
    at = end;
  }
  const auto trace = TraceFromText(text);
  SummaryOptions options;
  options.views = kAdviceView;
  const Summary summary = ComputeSummary(*trace, options);
  const Finding* found = FindHost(summary.advice, "data_loader");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->average);
  EXPECT_EQ(found->saving_ns, 5'000'750);
  EXPECT_NEAR(found->saving_ratio, 5'000'750.0 / 6'000'750, 1e-9);
  EXPECT_TRUE(Says(*found, "1.00 us per step (median; 5.00 ms on average)"));
}

}  // namespace
}  // namespace stepscope
