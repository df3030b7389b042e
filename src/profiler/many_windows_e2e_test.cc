// SPDX-License-Identifier: Apache-2.0
//
// Hundreds of windows and profilers in one process leave nothing behind.
#include <gtest/gtest.h>
#include <stepscope/stepscope.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "profiler/e2e_test_support.h"

namespace {

using stepscope_test::Entries;

class ManyWindowsE2e : public stepscope_test::InOwnFolder {};

// Memory that is this process's alone; the recorder's buffers are shared.
size_t PrivateKib() {
  std::string status = stepscope_test::ReadAll("/proc/self/status");
  size_t at = status.find("RssAnon:");
  return at == std::string::npos ? 0 : std::stoul(status.substr(at + 8));
}

struct Resources {
  size_t files = Entries("/proc/self/fd");
  size_t threads = Entries("/proc/self/task");
  size_t private_kib = PrivateKib();
};

// Threads that have ended are listed a moment longer, and the collector's ends
// after the last file is complete: what is only late goes away by itself.
Resources Settled(const Resources& before) {
  Resources now;
  for (int i = 0; i < 60000 && (now.threads > before.threads + 1 ||
                                now.files > before.files + 2);
       ++i) {
    usleep(1000);
    now = Resources();
  }
  return now;
}

void ExpectNoGrowth(const Resources& before) {
  const Resources after = Settled(before);
  EXPECT_LE(after.files, before.files + 2);
  EXPECT_LE(after.threads, before.threads + 1);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(after.private_kib, before.private_kib + 2 * 1024);
#endif
}

void Step(stepscope::Profiler& prof) {
  for (int i = 0; i < 100; ++i) stepscope::RecordEvent event("work");
  prof.Step();
}

TEST_F(ManyWindowsE2e, FiveHundredInARow) {
  std::atomic<int> delivered{0};
  std::atomic<size_t> shortest{SIZE_MAX};
  stepscope::ProfilerOptions options;
  options.quiet = true;
  options.scheduler = stepscope::MakeScheduler({.record = 1});
  options.on_trace_ready = [&](stepscope::Profiler& prof) {
    size_t length = prof.SummaryText().size();
    if (length < shortest) shortest = length;
    ++delivered;
  };
  stepscope::Profiler prof(options);
  prof.Start();
  for (int i = 0; i < 50; ++i) {
    Step(prof);
    ASSERT_TRUE(prof.Wait());
  }
  Resources before;
  for (int i = 0; i < 450; ++i) {
    Step(prof);
    ASSERT_TRUE(prof.Wait());
  }
  ExpectNoGrowth(before);
  EXPECT_EQ(delivered.load(), 500);
  EXPECT_GT(shortest.load(), 100u);
  EXPECT_EQ(prof.LastError(), "");
}

// Without waiting, windows queue up behind the delivery thread.
TEST_F(ManyWindowsE2e, FasterThanDelivery) {
  std::atomic<int> delivered{0};
  stepscope::ProfilerOptions options;
  options.quiet = true;
  options.scheduler = stepscope::MakeScheduler({.record = 1});
  options.on_trace_ready = [&](stepscope::Profiler& prof) {
    if (!prof.SummaryText().empty()) ++delivered;
  };
  stepscope::Profiler prof(options);
  prof.Start();
  for (int i = 0; i < 100; ++i) Step(prof);
  prof.Stop();
  EXPECT_TRUE(prof.Wait());
  // A step may find all sessions of the collector still being written; it is
  // then timed only, and the profiler says so.
  if (delivered.load() != 101) {
    EXPECT_NE(prof.LastError().find("not recorded"), std::string::npos)
        << delivered.load() << " " << prof.LastError();
  }
  EXPECT_GT(delivered.load(), 0);
}

TEST_F(ManyWindowsE2e, ProfilersOneAfterAnother) {
  Resources before;
  for (int i = 0; i < 100; ++i) {
    if (i == 20) before = Resources();
    stepscope::Profiler prof(
        {.scheduler = stepscope::StepRange(1, 2),
         .on_trace_ready = stepscope::ExportChromeTracing("out"),
         .quiet = true});
    prof.Start();
    for (int step = 0; step < 3; ++step) Step(prof);
    prof.Stop();
  }
  ExpectNoGrowth(before);
  EXPECT_EQ(stepscope_test::Files("out", ".paddle_trace.json").size(), 100u);
  EXPECT_EQ(Entries("out"), 100u);
}

}  // namespace
