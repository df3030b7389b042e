// SPDX-License-Identifier: Apache-2.0
//
// The public C++ interface over the shared library, with real recording.
#include <gtest/gtest.h>
#include <stepscope/stepscope.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "base/forking_tests.h"
#include "profiler/e2e_test_support.h"

namespace {

using stepscope_test::Count;
using stepscope_test::Entries;
using stepscope_test::Files;
using stepscope_test::ReadAll;

class ProfilerE2e : public stepscope_test::InOwnFolder {};

void Load() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }
void Forward() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

void Train(stepscope::Profiler& prof, int steps) {
  for (int i = 0; i < steps; ++i) {
    stepscope::RecordEvent event("work");
    event.End();
    prof.Step();
  }
}

TEST_F(ProfilerE2e, ProgramOfTheReadme) {
  // clang-format off
   stepscope::Profiler prof({.scheduler = stepscope::StepRange(2, 10),
                             .on_trace_ready = stepscope::ExportChromeTracing("./profiler_demo")});
   prof.Start();
   for (int i = 0; i < 30; ++i) {
     { stepscope::RecordEvent event("DataPrepare"); Load(); }
     { stepscope::RecordEvent event("Net", stepscope::EventType::kForward); Forward(); }
     prof.Step();
   }
   prof.Stop();
  // clang-format on
  EXPECT_TRUE(prof.Wait());
  auto files = Files("profiler_demo", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].filename().string().rfind("host_", 0), 0u);
  std::string json = ReadAll(files[0]);
  for (int step = 0; step < 30; ++step) {
    EXPECT_EQ(Count(json, "\"ProfileStep#" + std::to_string(step) + "\""),
              step >= 2 && step < 10 ? 1u : 0u)
        << step;
  }
  EXPECT_EQ(Count(json, "\"name\":\"DataPrepare\""), 8u);
  EXPECT_EQ(Count(json, "\"name\":\"Net\",\"cat\":\"Forward\""), 8u);
  EXPECT_EQ(Entries("profiler_demo"), 1u);  // no capture is left
  EXPECT_EQ(prof.LastError(), "");
}

TEST_F(ProfilerE2e, StepsSayHowManySamplesTheyWorkedOn) {
  stepscope::Profiler prof(
      {.on_trace_ready = stepscope::ExportChromeTracing("out"), .quiet = true});
  prof.Start();
  prof.Step(64);
  prof.Step();
  prof.Step(16);
  prof.Stop();
  EXPECT_TRUE(prof.Wait());
  auto files = Files("out", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 1u);
  const std::string json = ReadAll(files[0]);
  EXPECT_EQ(Count(json, "\"samples\":64"), 1u);
  EXPECT_EQ(Count(json, "\"samples\":16"), 1u);
  EXPECT_EQ(Count(json, "\"samples\":"), 2u);
}

TEST_F(ProfilerE2e, SaysHowLongUnrecordedStepsTake) {
  stepscope::Profiler prof(
      {.scheduler = stepscope::StepRange(5, 8),
       .on_trace_ready = stepscope::ExportChromeTracing("out"),
       .quiet = true});
  prof.Start();
  for (int i = 0; i < 10; ++i) {
    Forward();
    prof.Step();
  }
  prof.Stop();
  EXPECT_TRUE(prof.Wait());
  auto files = Files("out", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 1u);
  const std::string json = ReadAll(files[0]);
  EXPECT_EQ(Count(json, "\"unprofiled_times_ns\": \""), 1u);
}

TEST_F(ProfilerE2e, ThreeWindowsAreThreeFiles) {
  stepscope::Profiler prof(
      {.scheduler = stepscope::MakeScheduler(
           {.closed = 1, .ready = 1, .record = 4, .repeat = 3}),
       .on_trace_ready = stepscope::ExportChromeTracing("out", "worker7"),
       .quiet = true});
  prof.Start();
  Train(prof, 30);
  prof.Stop();
  EXPECT_TRUE(prof.Wait());
  auto files = Files("out", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 3u);
  int first = 2;
  for (size_t i = 0; i < 3; ++i, first += 6) {
    EXPECT_EQ(files[i].filename().string().rfind("worker7_time_", 0), 0u);
    std::string json = ReadAll(files[i]);
    EXPECT_EQ(Count(json, "\"name\":\"ProfileStep#"), 4u);
    EXPECT_EQ(Count(json, "\"ProfileStep#" + std::to_string(first) + "\""), 1u);
    EXPECT_EQ(Count(json, "\"span_indx\": \"" + std::to_string(i) + "\""), 1u);
  }
}

TEST_F(ProfilerE2e, DefaultsRecordEverythingIntoProfilerLog) {
  std::string printed;
  {
    stepscope::ProfilerOptions options;
    options.print = [&printed](std::string_view text) { printed += text; };
    stepscope::Profiler prof(options);
    prof.Start();
    Train(prof, 5);
  }  // the destructor stops and delivers
  auto files = Files("profiler_log", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Count(ReadAll(files[0]), "\"name\":\"ProfileStep#"), 6u);
  EXPECT_EQ(Entries("profiler_log"), 1u);
  EXPECT_NE(printed.find("Perf Summary"), std::string::npos);
  EXPECT_NE(printed.find("Steps counted: all 5"), std::string::npos);
}

TEST_F(ProfilerE2e, CallbackExportsStopsAndSummarises) {
  std::string printed;
  std::atomic<int> calls{0};
  stepscope::ProfilerOptions options;
  options.scheduler = stepscope::StepRange(3, 14);
  options.on_trace_ready = [&calls](stepscope::Profiler& prof) {
    stepscope::ExportChromeTracing("./profiler_demo")(prof);
    prof.Stop();
    prof.Summary({.sorted_by = stepscope::SortedKeys::kGpuTotal});
    ++calls;
  };
  options.print = [&printed](std::string_view text) { printed += text; };
  stepscope::Profiler prof(options);
  prof.Start();
  Train(prof, 14);
  EXPECT_TRUE(prof.Wait());
  Train(prof, 5);
  prof.Stop();
  EXPECT_TRUE(prof.Wait());
  EXPECT_EQ(calls.load(), 1);
  EXPECT_EQ(Files("profiler_demo", ".paddle_trace.json").size(), 1u);
  EXPECT_EQ(Count(printed, "Perf Summary"), 1u);
  EXPECT_NE(printed.find("Overview Summary"), std::string::npos) << printed;
  EXPECT_NE(printed.find("ProfileStep"), std::string::npos) << printed;
}

TEST_F(ProfilerE2e, SummaryAfterStopShowsTheLastWindow) {
  stepscope::Profiler prof(
      {.scheduler = stepscope::StepRange(1, 4), .quiet = true});
  EXPECT_EQ(prof.SummaryText(), "");
  EXPECT_NE(prof.LastError(), "");
  prof.Start();
  Train(prof, 6);
  prof.Stop();
  std::string tables = prof.SummaryText({.time_unit = "us"});
  EXPECT_NE(tables.find("Time unit: us"), std::string::npos) << tables;
  EXPECT_NE(tables.find("work"), std::string::npos) << tables;
  EXPECT_EQ(prof.SummaryText({.time_unit = "years"}), "");
  EXPECT_NE(prof.LastError().find("years"), std::string::npos);
  EXPECT_TRUE(prof.Export("again.json.gz"));
  EXPECT_TRUE(prof.Export("again.sscap"));
  EXPECT_FALSE(prof.Export("again.xml", "xml"));
  EXPECT_GT(std::filesystem::file_size("again.sscap"), 100u);
}

TEST_F(ProfilerE2e, WhatACallbackThrowsIsKept) {
  stepscope::ProfilerOptions options;
  options.quiet = true;
  options.scheduler = stepscope::StepRange(0, 1);
  options.on_trace_ready = [](stepscope::Profiler&) {
    throw std::runtime_error("bucket is gone");
  };
  stepscope::Profiler prof(options);
  prof.Start();
  Train(prof, 3);
  EXPECT_TRUE(prof.Wait());
  EXPECT_NE(prof.LastError().find("bucket is gone"), std::string::npos);
  EXPECT_TRUE(prof.Step());
  options.on_trace_ready = [](stepscope::Profiler&) { throw 42; };
  stepscope::Profiler odd(options);
  prof.Stop();
  odd.Start();
  Train(odd, 3);
  EXPECT_TRUE(odd.Wait());
  EXPECT_NE(odd.LastError(), "");
}

TEST_F(ProfilerE2e, WhatASchedulerThrowsIsKept) {
  stepscope::ProfilerOptions options;
  options.quiet = true;
  options.scheduler = [](int64_t step) -> stepscope::ProfilerState {
    if (step == 2) throw std::logic_error("no such step");
    return stepscope::ProfilerState::kRecord;
  };
  stepscope::Profiler prof(options);
  prof.Start();
  Train(prof, 1);
  EXPECT_EQ(prof.LastError(), "");
  Train(prof, 1);
  EXPECT_NE(prof.LastError().find("step 2"), std::string::npos);
  EXPECT_EQ(prof.current_state(), stepscope::ProfilerState::kClosed);
  EXPECT_EQ(prof.step_num(), 2);
}

TEST_F(ProfilerE2e, SchedulesThatMakeNoSenseThrow) {
  EXPECT_THROW(stepscope::MakeScheduler({.closed = 1}), std::invalid_argument);
  EXPECT_THROW(stepscope::MakeScheduler({.closed = -1, .record = 1}),
               std::invalid_argument);
  EXPECT_THROW(stepscope::StepRange(5, 5), std::invalid_argument);
  EXPECT_THROW(stepscope::StepRange(-5, 0), std::invalid_argument);
  EXPECT_EQ(stepscope::StepRange(-5, 1)(0),
            stepscope::ProfilerState::kRecordAndReturn);
}

TEST_F(ProfilerE2e, StopDoesNotWaitForTheCallback) {
  std::atomic<bool> go_on{false};
  std::atomic<bool> done{false};
  stepscope::ProfilerOptions options;
  options.quiet = true;
  options.on_trace_ready = [&](stepscope::Profiler&) {
    while (!go_on) std::this_thread::yield();
    done = true;
  };
  stepscope::Profiler prof(options);
  prof.Start();
  Train(prof, 3);
  prof.Stop();
  EXPECT_FALSE(done.load());
  EXPECT_FALSE(prof.Wait(1));
  go_on = true;
  EXPECT_TRUE(prof.Wait());
  EXPECT_TRUE(done.load());
}

TEST_F(ProfilerE2e, FolderThatCannotBeMadeLeavesTheProgramAlone) {
  std::ofstream("file") << "in the way";
  stepscope::Profiler prof(
      {.on_trace_ready = stepscope::ExportChromeTracing("file/sub"),
       .quiet = true});
  EXPECT_TRUE(prof.Start());
  EXPECT_NE(prof.LastError().find("not recorded"), std::string::npos)
      << prof.LastError();
  Train(prof, 3);
  EXPECT_TRUE(prof.Stop());
  EXPECT_NE(prof.StepInfo().find("batch_cost"), std::string::npos);
}

TEST_F(ProfilerE2e, OneRecordsWhileTheOtherTimes) {
  stepscope::Profiler first(
      {.on_trace_ready = stepscope::ExportChromeTracing("first"),
       .quiet = true});
  stepscope::Profiler second(
      {.on_trace_ready = stepscope::ExportChromeTracing("second"),
       .quiet = true});
  first.Start();
  EXPECT_TRUE(second.Start());
  EXPECT_NE(second.LastError().find("already recording"), std::string::npos);
  Train(second, 3);
  Train(first, 3);
  second.Stop();
  first.Stop();
  EXPECT_TRUE(first.Wait() && second.Wait());
  EXPECT_EQ(Entries("first"), 1u);
  EXPECT_EQ(Entries("second"), 0u);
}

TEST_F(ProfilerE2e, ReadersFeedTheTimerAndTheTrace) {
  std::string printed;
  stepscope::ProfilerOptions options;
  options.on_trace_ready = stepscope::ExportChromeTracing("out");
  options.print = [&printed](std::string_view text) { printed += text; };
  stepscope::Profiler prof(options);
  int train = 0;
  int validate = 0;
  prof.Start();
  for (int i = 0; i < 12; ++i) {
    {
      stepscope::ReaderScope reader(&train);
      Load();
    }
    if (i == 5) {
      stepscope::ReaderScope reader(&validate);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    prof.Step(4);
  }
  stepscope::ReaderScope last(&train);
  last.Cancel();
  prof.Stop();
  EXPECT_TRUE(prof.Wait());
  auto files = Files("out", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Count(ReadAll(files[0]), "\"cat\":\"Dataloader\""), 14u);
  EXPECT_NE(printed.find("reader_cost"), std::string::npos) << printed;
  EXPECT_NE(printed.find("Reader Ratio: "), std::string::npos) << printed;
  // The step with the validation in it is not counted.
  EXPECT_NE(printed.find("Steps counted: 1 of 11"), std::string::npos)
      << printed;
}

TEST_F(ProfilerE2e, TimerOnlyWritesNothing) {
  std::string printed;
  stepscope::ProfilerOptions options;
  options.timer_only = true;
  options.print = [&printed](std::string_view text) { printed += text; };
  stepscope::Profiler prof(options);
  prof.Start();
  for (int i = 0; i < 12; ++i) {
    stepscope::ReaderScope reader;
    prof.Step(4);
  }
  EXPECT_NE(prof.StepInfo("images").find("images/s"), std::string::npos);
  prof.Stop();
  EXPECT_NE(printed.find("IPS Unit: images/s"), std::string::npos);
  EXPECT_EQ(Entries("."), 0u);
}

TEST_F(ProfilerE2e, OnDemandWaitsForATrigger) {
  namespace fs = std::filesystem;
  bool called = false;
  stepscope::ProfilerOptions options;
  options.on_demand = true;
  options.flight_options.folder = "job";
  options.quiet = true;
  options.on_trace_ready = [&called](stepscope::Profiler&) { called = true; };
  stepscope::Profiler prof(options);
  prof.Start();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(stepscope_enabled(), 0);
    Train(prof, 1);
  }
  // A trigger finds the process by this file, which a thread writes.
  const auto is_shown = [] {
    for (const auto& entry : fs::directory_iterator("job/control"))
      if (entry.path().extension() == ".process") return true;
    return false;
  };
  while (!is_shown()) Load();
  EXPECT_NE(stepscope_flight_save("nothing is kept"), STEPSCOPE_OK);
  prof.Stop();
  EXPECT_TRUE(prof.Wait());
  EXPECT_FALSE(called);
  for (const auto& entry : fs::recursive_directory_iterator("."))
    EXPECT_NE(entry.path().extension(), ".sscap") << entry.path();
}

TEST_F(ProfilerE2e, ResetBeginsAgain) {
  stepscope::Profiler prof(
      {.on_trace_ready = stepscope::ExportChromeTracing("out"), .quiet = true});
  prof.Start();
  Train(prof, 5);
  EXPECT_TRUE(prof.Reset());
  Train(prof, 2);
  prof.Stop();
  EXPECT_TRUE(prof.Wait());
  auto files = Files("out", "");
  ASSERT_EQ(files.size(), 1u);
  std::string json = ReadAll(files[0]);
  EXPECT_EQ(Count(json, "\"name\":\"work\""), 2u);
  EXPECT_EQ(Count(json, "\"ProfileStep#4\""), 0u);
  EXPECT_EQ(Count(json, "\"ProfileStep#5\""), 1u);
}

TEST_F(ProfilerE2e, ForkInTheMiddle) {
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
  stepscope::Profiler prof(
      {.on_trace_ready = stepscope::ExportChromeTracing("out"), .quiet = true});
  prof.Start();
  Train(prof, 2);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Train(prof, 3);
    bool inert = !prof.Step() && !prof.Stop() && prof.SummaryText().empty();
    bool stopped = true;
#if !defined(__SANITIZE_THREAD__)  // which allows no threads after a fork
    stepscope::Profiler own(
        {.on_trace_ready = stepscope::ExportChromeTracing("child"),
         .quiet = true});
    own.Start();
    Train(own, 2);
    stopped = own.Stop() && own.Wait();
#endif
    _exit(inert && stopped ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  Train(prof, 2);
  prof.Stop();
  EXPECT_TRUE(prof.Wait());
  auto files = Files("out", "");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Count(ReadAll(files[0]), "\"name\":\"work\""), 4u);
#if !defined(__SANITIZE_THREAD__)
  files = Files("child", "");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Count(ReadAll(files[0]), "\"name\":\"work\""), 2u);
#endif
}

TEST_F(ProfilerE2e, WarningsGoToWhoeverAsksForThem) {
  std::string said;
  stepscope_profiler_options options = {};
  options.struct_size = sizeof(options);
  options.user = &said;
  options.scheduler = [](void*, int64_t step) {
    return static_cast<int>(step == 0 ? STEPSCOPE_STATE_READY
                                      : STEPSCOPE_STATE_CLOSED);
  };
  options.warn = [](void* user, const char* text, size_t length) {
    static_cast<std::string*>(user)->append(text, length);
  };
  stepscope_profiler* profiler = nullptr;
  ASSERT_EQ(stepscope_profiler_create(&options, &profiler), STEPSCOPE_OK);
  stepscope_profiler_start(profiler);
  stepscope_profiler_step(profiler, -1);
  stepscope_profiler_destroy(profiler);
  EXPECT_EQ(said,
            "the scheduler went from READY to CLOSED: nothing was recorded");

  // A program that was compiled before there was `warn`.
  options.struct_size = offsetof(stepscope_profiler_options, warn);
  said.clear();
  ASSERT_EQ(stepscope_profiler_create(&options, &profiler), STEPSCOPE_OK);
  stepscope_profiler_start(profiler);
  stepscope_profiler_step(profiler, -1);
  stepscope_profiler_destroy(profiler);
  EXPECT_EQ(said, "");
}

TEST_F(ProfilerE2e, ExportsPaddlesProtobuf) {
  stepscope::Profiler prof({.on_trace_ready = [](stepscope::Profiler& p) {
    EXPECT_TRUE(p.Export("a.paddle_trace.pb")) << p.LastError();
    EXPECT_TRUE(p.Export("b", "pb")) << p.LastError();
    EXPECT_FALSE(p.Export("c", "xml"));
    EXPECT_NE(p.LastError().find("expected json, kineto, pb or capture"),
              std::string::npos);
  }});
  prof.Start();
  Train(prof, 2);
  prof.Stop();
  EXPECT_TRUE(prof.Wait());
  const std::string bytes = ReadAll("a.paddle_trace.pb");
  EXPECT_EQ(bytes, ReadAll("b"));
  EXPECT_NE(bytes.find("ProfileStep#1"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists("c"));
}

}  // namespace
