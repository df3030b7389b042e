// SPDX-License-Identifier: Apache-2.0
//
// What callbacks may do on the delivery thread: stop, start, fork.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "base/forking_tests.h"
#include "profiler/fake_backend_test_support.h"
#include "profiler/profiler_core.h"

namespace stepscope::profiler {
namespace {

constexpr int kLongMs = 100'000;

class CallbackTest : public testing::Test {
 protected:
  CallbackTest() {
    folder_ =
        testing::TempDir() + "stepscope_callback_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  ~CallbackTest() override { std::filesystem::remove_all(folder_); }

  // Each step is a window; `ready` gets the profiler.
  void Make(std::function<void(ProfilerCore&)> ready) {
    CoreOptions options;
    options.out_dir = folder_;
    options.flags = STEPSCOPE_QUIET;
    options.scheduler = [](int64_t) {
      return STEPSCOPE_STATE_RECORD_AND_RETURN;
    };
    options.on_trace_ready = [this, ready = std::move(ready)] {
      ready(*core_);
      ++windows_;
      return std::string();
    };
    core_ =
        std::make_shared<ProfilerCore>(std::move(options), recorder_, tools_);
  }

  std::string folder_;
  FakeRecorder recorder_;
  FakeTools tools_;
  std::atomic<int> windows_{0};
  std::shared_ptr<ProfilerCore> core_;
};

TEST_F(CallbackTest, CannotStartWhatTheProgramStopped) {
  Make([](ProfilerCore& core) {
    core.Stop();
    core.Start();
  });
  core_->Start();
  core_->Step(-1);
  while (windows_ < 10) usleep(100);  // each callback leads to another
  core_->Stop();
  EXPECT_TRUE(core_->Wait(kLongMs));
  const int windows = windows_;
  EXPECT_EQ(core_->Step(-1), STEPSCOPE_NOT_RUNNING);
  EXPECT_EQ(core_->Start(), STEPSCOPE_OK);  // the program can
  core_->Stop();
  EXPECT_TRUE(core_->Close());
  EXPECT_EQ(windows_, windows + 1);
}

TEST_F(CallbackTest, ChildThatReturnsFromItEnds) {
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
  std::atomic<int> status{-1};
  std::atomic<pid_t> parent{getpid()};
  Make([&](ProfilerCore&) {
    const pid_t child = fork();
    if (child <= 0) return;
    int ended = 0;
    waitpid(child, &ended, 0);
    status = ended;
  });
  core_->Start();
  core_->Stop();
  EXPECT_TRUE(core_->Wait(kLongMs));
  EXPECT_EQ(getpid(), parent);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(windows_, 1);
  EXPECT_TRUE(core_->Export(folder_ + "/x.json", "json").has_value());
}

TEST_F(CallbackTest, HasTheSignalsOfTheProgram) {
  std::atomic<int> term{-1};
  std::atomic<int> segv{-1};
  Make([&](ProfilerCore&) {
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, nullptr, &now);
    term = sigismember(&now, SIGTERM);
    segv = sigismember(&now, SIGSEGV);
  });
  core_->Start();
  core_->Stop();
  EXPECT_TRUE(core_->Close());
  EXPECT_EQ(term, 0);
  EXPECT_EQ(segv, 0);
}

}  // namespace
}  // namespace stepscope::profiler
