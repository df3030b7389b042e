// SPDX-License-Identifier: Apache-2.0
#include "profiler/profiler_core.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/forking_tests.h"
#include "profiler/fake_backend_test_support.h"
#include "profiler/output_names.h"
#include "profiler/state_names.h"

namespace stepscope::profiler {
namespace {

// A profiler on fakes, in a folder of its own.
class ProfilerCoreTest : public testing::Test {
 protected:
  ProfilerCoreTest() {
    folder_ = testing::TempDir() + "stepscope_core_" +
              std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  ~ProfilerCoreTest() override { std::filesystem::remove_all(folder_); }

  CoreOptions Options() {
    CoreOptions options;
    options.out_dir = folder_;
    options.print = [this](std::string_view text) { printed_ += text; };
    options.on_trace_ready = [this] {
      ++windows_;
      return std::string();
    };
    return options;
  }
  std::shared_ptr<ProfilerCore> Make(CoreOptions options) {
    return std::make_shared<ProfilerCore>(std::move(options), recorder_,
                                          tools_);
  }
  // Follows `states`, then CLOSED.
  std::shared_ptr<ProfilerCore> MakeFor(std::vector<int> states) {
    CoreOptions options = Options();
    options.scheduler = [states](int64_t step) {
      return step < static_cast<int64_t>(states.size())
                 ? states[static_cast<size_t>(step)]
                 : kClosed;
    };
    return Make(std::move(options));
  }
  size_t Files() const {
    auto files = std::filesystem::directory_iterator(folder_);
    return static_cast<size_t>(std::distance(begin(files), end(files)));
  }

  std::string folder_;
  FakeRecorder recorder_;
  FakeTools tools_;
  std::string printed_;
  std::atomic<int> windows_{0};
};

TEST_F(ProfilerCoreTest, StepsThatAreNotRecordedAreTimed) {
  auto core = MakeFor({kClosed, kClosed, kReady, kRecord, kReturn, kClosed});
  core->Start();
  for (int64_t ns = 10; ns <= 70; ns += 10) {
    recorder_.Advance(ns);
    core->Step(-1);
  }
  EXPECT_EQ(recorder_.unrecorded, (std::vector<int64_t>{10, 20, 30, 60, 70}));
  core->Close();
}

TEST_F(ProfilerCoreTest, InterruptedStepsAreNotTimed) {
  auto core = MakeFor({});
  core->Start();
  recorder_.Advance(10);
  core->Step(-1);
  core->Pause();
  recorder_.Advance(20);
  core->Step(-1);
  core->Resume();
  recorder_.Advance(30);
  core->Step(-1);
  recorder_.Advance(40);
  core->Step(-1);
  EXPECT_EQ(recorder_.unrecorded, (std::vector<int64_t>{10, 40}));
  core->Close();
}

TEST_F(ProfilerCoreTest, EventsThatCannotBeWrittenAreSaidOnceAndAtTheEnd) {
  std::vector<std::string> lines;  // of two threads, one after the other
  CoreOptions options = Options();
  options.warn = [&](std::string_view text) { lines.emplace_back(text); };
  auto core = Make(std::move(options));
  core->Start();
  const auto step = [&] {
    recorder_.Advance(200'000'000);
    core->Step(-1);
  };
  step();
  EXPECT_TRUE(lines.empty());
  recorder_.write_problem = "no space left";
  step();
  step();
  EXPECT_EQ(lines,
            (std::vector<std::string>{"events are being lost: no space left"}));
  tools_.lost = "disk full, 5 events dropped (50 %)";
  core->Stop();
  EXPECT_TRUE(core->Wait(60000));
  EXPECT_EQ(lines.back(), "the window is incomplete: " + tools_.lost);
  EXPECT_EQ(core->diagnostics().last_error(), lines.back());
  core->Close();
}

struct TransitionCase {
  int from;
  int to;
  const char* calls;  // of the step between the two
  int windows;        // delivered when it is over
};

TEST_F(ProfilerCoreTest, AllTransitions) {
  const TransitionCase cases[] = {
      {kClosed, kClosed, "", 0},
      {kClosed, kReady, "prepare", 0},
      {kClosed, kRecord, "start step#1", 0},
      {kClosed, kReturn, "start step#1", 0},
      {kReady, kClosed, "unprepare", 0},
      {kReady, kReady, "", 0},
      {kReady, kRecord, "start step#1", 0},
      {kReady, kReturn, "start step#1", 0},
      {kRecord, kClosed, "end stop", 1},
      {kRecord, kReady, "end stop prepare", 1},
      {kRecord, kRecord, "end step#1", 0},
      {kRecord, kReturn, "end step#1", 0},
      {kReturn, kClosed, "end stop", 1},
      {kReturn, kReady, "end stop prepare", 1},
      {kReturn, kRecord, "end stop start step#1", 1},
      {kReturn, kReturn, "end stop start step#1", 1},
  };
  for (const TransitionCase& c : cases) {
    SCOPED_TRACE(testing::Message() << c.from << " -> " << c.to);
    windows_ = 0;
    auto core = MakeFor({c.from, c.to});
    EXPECT_EQ(core->Start(), STEPSCOPE_OK);
    recorder_.log.Take();
    EXPECT_EQ(core->Step(-1), STEPSCOPE_OK);
    EXPECT_EQ(recorder_.log.Take(), c.calls);
    EXPECT_TRUE(core->Wait(100'000));
    EXPECT_EQ(windows_.load(), c.windows);
    EXPECT_EQ(core->state(), c.to);
    core->Close();
    recorder_.log.Take();
  }
}

TEST_F(ProfilerCoreTest, DefaultSchedulerDeliversAtStop) {
  auto core = Make(Options());
  core->Start();
  for (int i = 0; i < 3; ++i) core->Step(-1);
  EXPECT_EQ(windows_.load(), 0);
  core->Stop();
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(windows_.load(), 1);
  EXPECT_EQ(recorder_.log.Take(),
            "start step#0 end step#1 end step#2 end step#3 end stop");
}

TEST_F(ProfilerCoreTest, StopInReadySavesNothing) {
  auto core = MakeFor({kReady});
  core->Start();
  core->Stop();
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(windows_.load(), 0);
  EXPECT_EQ(recorder_.log.Take(), "prepare unprepare");
}

TEST_F(ProfilerCoreTest, StartTwiceAndStopTwice) {
  auto core = Make(Options());
  EXPECT_EQ(core->Stop(), STEPSCOPE_NOT_RUNNING);
  EXPECT_EQ(core->Step(-1), STEPSCOPE_NOT_RUNNING);
  EXPECT_EQ(core->Start(), STEPSCOPE_OK);
  EXPECT_EQ(core->Start(), STEPSCOPE_BUSY);
  EXPECT_NE(core->diagnostics().last_error(), "");
  EXPECT_EQ(core->Step(-1), STEPSCOPE_OK);
  EXPECT_EQ(core->Stop(), STEPSCOPE_OK);
  std::string once = printed_;
  EXPECT_NE(once.find("Perf Summary"), std::string::npos);
  EXPECT_EQ(core->Stop(), STEPSCOPE_NOT_RUNNING);
  EXPECT_EQ(printed_, once);
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(windows_.load(), 1);
}

TEST_F(ProfilerCoreTest, RunsAgainAfterStop) {
  auto core = Make(Options());
  for (int run = 1; run <= 3; ++run) {
    EXPECT_EQ(core->Start(), STEPSCOPE_OK);
    EXPECT_EQ(core->step_number(), 0);
    core->Step(-1);
    core->Stop();
    EXPECT_TRUE(core->Wait(100'000));
    EXPECT_EQ(windows_.load(), run);
  }
}

TEST_F(ProfilerCoreTest, CallbackActsOnItsWindowWithoutWaiting) {
  CoreOptions options = Options();
  std::weak_ptr<ProfilerCore> weak;
  std::string tables;
  int stopped = -1;
  bool exported = false;
  options.scheduler = [](int64_t step) {
    return step == 0 ? kReturn : kClosed;
  };
  options.on_trace_ready = [&]() -> std::string {
    auto core = weak.lock();
    ++windows_;
    exported = core->Export(folder_ + "/a.json", "").has_value();
    stopped = core->Stop();
    auto text = core->SummaryText({});
    if (text) tables = *text;
    return "";
  };
  auto core = Make(std::move(options));
  weak = core;
  core->Start();
  core->Step(-1);
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(stopped, STEPSCOPE_OK);
  EXPECT_TRUE(exported);
  EXPECT_EQ(tables, "tables\n");
  EXPECT_NE(printed_.find("Perf Summary"), std::string::npos);
  EXPECT_EQ(core->Step(-1), STEPSCOPE_NOT_RUNNING);
  EXPECT_EQ(core->Stop(), STEPSCOPE_NOT_RUNNING);
  EXPECT_EQ(windows_.load(), 1);
}

TEST_F(ProfilerCoreTest, StopInCallbackDeliversTheWindowUnderWay) {
  CoreOptions options = Options();
  std::weak_ptr<ProfilerCore> weak;
  options.scheduler = [](int64_t) { return kReturn; };
  options.on_trace_ready = [&]() -> std::string {
    ++windows_;
    weak.lock()->Stop();
    return "";
  };
  auto core = Make(std::move(options));
  weak = core;
  core->Start();
  core->Step(-1);
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(windows_.load(), 2);  // step 0, and what step 1 had so far
}

TEST_F(ProfilerCoreTest, CallbackThatFailsIsRememberedAndTheRunGoesOn) {
  CoreOptions options = Options();
  options.scheduler = [](int64_t) { return kReturn; };
  options.on_trace_ready = [this] {
    ++windows_;
    return std::string("no such bucket");
  };
  auto core = Make(std::move(options));
  core->Start();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(core->Step(-1), STEPSCOPE_OK);
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(core->diagnostics().last_error(), "no such bucket");
  EXPECT_EQ(windows_.load(), 3);
  core->Close();
}

TEST_F(ProfilerCoreTest, LackOfMemoryInDeliveryIsAnErrorNotTheEnd) {
  CoreOptions options = Options();
  options.scheduler = [](int64_t) { return kReturn; };
  ProfilerCore* self = nullptr;
  options.on_trace_ready = [this, &self] {
    ++windows_;
    const Status written = self->Export(folder_ + "/x.json", "json");
    return written ? std::string() : written.error().message;
  };
  auto core = Make(std::move(options));
  self = core.get();
  tools_.no_memory = true;
  core->Start();
  core->Step(-1);
  EXPECT_TRUE(core->Wait(10'000));
  EXPECT_EQ(windows_.load(), 1);
  const std::string why = core->diagnostics().last_error();
  EXPECT_NE(why.find("not enough memory"), std::string::npos) << why;
  EXPECT_NE(why.find(folder_), std::string::npos) << why;
  EXPECT_EQ(Files(), 2u);  // the window that nobody saw, and the next one
  tools_.no_memory = false;
  core->Step(-1);
  EXPECT_TRUE(core->Wait(10'000));
  EXPECT_EQ(windows_.load(), 2);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/x.json"));
  core->Close();
}

TEST_F(ProfilerCoreTest, SchedulerWithoutAStateCountsAsClosed) {
  auto core = MakeFor({kRecord, 17, kClosed});
  core->Start();
  core->Step(-1);
  EXPECT_EQ(core->state(), kClosed);
  EXPECT_NE(core->diagnostics().last_error().find("step 1"), std::string::npos);
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(windows_.load(), 1);  // what step 0 recorded is not lost
  core->Close();
}

TEST_F(ProfilerCoreTest, WindowThatCannotStartLeavesTheTimer) {
  recorder_.fail_start = true;
  auto core = Make(Options());
  EXPECT_EQ(core->Start(), STEPSCOPE_OK);
  EXPECT_NE(core->diagnostics().last_error().find("no space left"),
            std::string::npos);
  recorder_.Advance(10'000'000);
  core->Step(5);
  EXPECT_EQ(core->StepInfo("images"),
            " batch_cost: 0.01000 s ips: 500.000 images/s");
  core->Stop();
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(windows_.load(), 0);
  EXPECT_FALSE(core->SummaryText({}).has_value());
  EXPECT_EQ(recorder_.log.Take(), "refused");
}

TEST_F(ProfilerCoreTest, TimerOnlyRecordsNothing) {
  CoreOptions options = Options();
  options.flags = STEPSCOPE_TIMER_ONLY;
  auto core = Make(std::move(options));
  core->Start();
  for (int i = 0; i < 14; ++i) {
    recorder_.Advance(7'900'000);
    core->Step(4);
  }
  core->Stop();
  EXPECT_NE(printed_.find("IPS Unit: samples/s"), std::string::npos);
  EXPECT_NE(printed_.find("506.32911"), std::string::npos) << printed_;
  EXPECT_EQ(recorder_.log.Take(), "");
  EXPECT_EQ(windows_.load(), 0);
}

TEST_F(ProfilerCoreTest, QuietPrintsNothing) {
  CoreOptions options = Options();
  options.flags = STEPSCOPE_QUIET;
  auto core = Make(std::move(options));
  core->Start();
  core->Step(-1);
  core->Close();
  EXPECT_EQ(printed_, "");
}

TEST_F(ProfilerCoreTest, ResetDropsTheWindowAndGoesOn) {
  auto core = Make(Options());
  core->Start();
  recorder_.Advance(5'000'000);
  core->Step(-1);
  recorder_.log.Take();
  EXPECT_EQ(core->Reset(), STEPSCOPE_OK);
  EXPECT_EQ(recorder_.log.Take(), "end stop start step#1");
  EXPECT_EQ(core->StepInfo(""), "");
  core->Stop();
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(windows_.load(), 1);
  EXPECT_TRUE(core->SummaryText({}).has_value());
  core->Reset();
  EXPECT_FALSE(core->SummaryText({}).has_value());
}

TEST_F(ProfilerCoreTest, CaptureHasNoNameAfterDeliveryButIsReadable) {
  auto core = Make(Options());
  core->Start();
  EXPECT_EQ(Files(), 1u);
  core->Stop();
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(Files(), 0u);
  EXPECT_TRUE(core->SummaryText({}).has_value());
  EXPECT_TRUE(core->Export(folder_ + "/copy.sscap", "").has_value());
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/copy.sscap"), 7u);
  EXPECT_EQ(Files(), 1u);
}

TEST_F(ProfilerCoreTest, CaptureIsKeptWhenAsked) {
  CoreOptions options = Options();
  options.flags = STEPSCOPE_KEEP_CAPTURE;
  auto core = Make(std::move(options));
  core->Start();
  core->Stop();
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(Files(), 1u);
}

TEST_F(ProfilerCoreTest, ExportRefusesUnknownFormatsAndMissingFolders) {
  auto core = Make(Options());
  EXPECT_FALSE(core->Export(folder_ + "/x.json", "").has_value());
  core->Start();
  core->Stop();
  EXPECT_FALSE(core->Export(folder_ + "/x.xml", "xml").has_value());
  EXPECT_FALSE(core->Export(folder_ + "/none/x.json", "").has_value());
  EXPECT_FALSE(core->Export(folder_ + "/none/x.sscap", "").has_value());
  EXPECT_TRUE(core->Export(folder_ + "/x.json", "json").has_value());
}

TEST_F(ProfilerCoreTest, ACaptureThatCouldNotBeExportedStays) {
  for (const char* file : {"/none/x.json", "/none/x.sscap", "/x.json"}) {
    CoreOptions options = Options();
    std::string why;  // read when it is delivered
    ProfilerCore* made = nullptr;
    options.on_trace_ready = [&] {
      const Status done = made->Export(folder_ + file, "");
      why = done ? "" : done.error().message;
      return std::string();
    };
    auto core = Make(std::move(options));
    made = core.get();
    core->Start();
    core->Stop();
    EXPECT_TRUE(core->Wait(100'000));
    core->Close();
    const bool failed = std::string_view(file).starts_with("/none");
    EXPECT_EQ(why.find("the capture stays at " + folder_) != why.npos, failed)
        << why;
    EXPECT_EQ(Files(), 1u) << file;  // the capture, or what was exported
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
}

TEST_F(ProfilerCoreTest, RotateDeliversInTheMiddleOfAStep) {
  CoreOptions options = Options();
  options.number_steps_by_window = true;
  auto core = Make(std::move(options));
  core->Start();
  core->Step(-1);
  EXPECT_EQ(core->Rotate(), STEPSCOPE_OK);
  core->Step(-1);
  EXPECT_EQ(recorder_.log.Take(),
            "start step#0 end step#1 end stop start step#0");
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(windows_.load(), 1);
  core->StopAndDiscard();
  core->Close();
  EXPECT_EQ(windows_.load(), 1);
}

TEST_F(ProfilerCoreTest, OwnWorkIsInNoStep) {
  CoreOptions options = Options();
  // The scheduler takes a second of the training thread's time.
  options.scheduler = [this](int64_t) {
    recorder_.Advance(1'000'000'000);
    return kClosed;
  };
  auto core = Make(std::move(options));
  core->Start();
  for (int i = 0; i < 3; ++i) {
    recorder_.Advance(2'000'000);
    core->Step(-1);
  }
  EXPECT_EQ(core->StepInfo(""), " batch_cost: 0.00200 s ips: 500.000 steps/s");
  core->Close();
}

TEST_F(ProfilerCoreTest, PauseAndResume) {
  auto core = Make(Options());
  EXPECT_EQ(core->Pause(), STEPSCOPE_NOT_RUNNING);
  core->Start();
  recorder_.Advance(1'000'000);
  EXPECT_EQ(core->Pause(), STEPSCOPE_OK);
  recorder_.Advance(700'000'000);
  EXPECT_EQ(core->Resume(), STEPSCOPE_OK);
  recorder_.Advance(1'000'000);
  core->Step(-1);
  EXPECT_EQ(core->StepInfo(""), " batch_cost: 0.00200 s ips: 500.000 steps/s");
  core->Close();
}

TEST_F(ProfilerCoreTest, InheritedThroughForkItDoesNothing) {
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
  auto core = Make(Options());
  core->Start();
  core->Step(-1);
  recorder_.log.Take();
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool silent = core->Step(-1) == STEPSCOPE_NOT_RUNNING &&
                  core->Stop() == STEPSCOPE_NOT_RUNNING &&
                  core->Start() == STEPSCOPE_NOT_RUNNING &&
                  !core->SummaryText({}).has_value() &&
                  recorder_.log.Take().empty();
    // A profiler of its own works. (The thread sanitizer allows no threads
    // after such a fork.)
    bool works = true;
#if !defined(__SANITIZE_THREAD__)
    auto own = Make(Options());
    works = own->Start() == STEPSCOPE_OK && own->Stop() == STEPSCOPE_OK &&
            own->Wait(100'000) && windows_ == 1;
#endif
    _exit(silent && works ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(core->Stop(), STEPSCOPE_OK);
  EXPECT_TRUE(core->Wait(100'000));
  EXPECT_EQ(windows_.load(), 1);
}

TEST_F(ProfilerCoreTest, StepsAndCallsFromManyThreads) {
  CoreOptions options = Options();
  options.scheduler = [](int64_t step) {
    return step % 3 == 2 ? kReturn : kRecord;
  };
  auto core = Make(std::move(options));
  core->Start();
  std::atomic<bool> over{false};
  std::thread nosy([&] {
    while (!over) {
      static_cast<void>(core->SummaryText({}));
      core->StepInfo("");
      core->BeginRead(&over);
      core->EndRead(&over, recorder_.NowNs());
      core->Pause();
      core->Resume();
    }
  });
  for (int i = 0; i < 300; ++i) core->Step(1);
  over = true;
  nosy.join();
  core->Close();
  EXPECT_EQ(windows_.load(), 101);
}

TEST(OutputNames, PaddlesPattern) {
  std::string path = TimedPath("dir", "w0", ".paddle_trace.json");
  // dir/w0_time_YYYY_MM_DD_hh_mm_ss_uuuuuu.paddle_trace.json
  EXPECT_EQ(path.size(), std::string("dir/w0_time_").size() + 26 + 18) << path;
  EXPECT_EQ(path.rfind("dir/w0_time_2", 0), 0u) << path;
  std::string host = TimedPath("dir/", "", ".x");
  EXPECT_EQ(host.rfind("dir/host_", 0), 0u) << host;
  EXPECT_NE(host.find("pid_" + std::to_string(getpid()) + "_time_"),
            std::string::npos)
      << host;
}

}  // namespace
}  // namespace stepscope::profiler
