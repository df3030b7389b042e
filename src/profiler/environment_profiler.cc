// SPDX-License-Identifier: Apache-2.0
#include "profiler/environment_profiler.h"

#include <dlfcn.h>
#include <stepscope/c.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/text.h"
#include "profiler/cancel_off.h"
#include "profiler/environment.h"
#include "profiler/output_names.h"
#include "profiler/process_state.h"
#include "profiler/profiler_core.h"

namespace stepscope::profiler {
namespace {

// "%p" stands for the process id, so that several processes of one job do not
// replace each other's file.
std::string WithPid(std::string path) {
  size_t at = path.find("%p");
  if (at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
  return path;
}

class EnvironmentProfiler {
 public:
  explicit EnvironmentProfiler(Environment environment);

  void Start();
  void Step();
  // Delivers what there is; a period cut short only if it is the first.
  void Finish();
  // Stops without a trace of it.
  void GiveWay();

 private:
  CoreOptions MakeOptions();
  std::string Export();
  void RotateWhenDue(int64_t now);
  void RunTicker();

  const Environment environment_;
  std::string path_;    // "": a new name for each window
  std::string folder_;  // of path_, or of those names
  std::shared_ptr<ProfilerCore> core_;
  std::mutex mutex_;  // one step at a time
  int64_t due_ns_ = 0;
  bool finished_ = false;
  std::condition_variable finishing_;
  std::thread ticker_;
};

EnvironmentProfiler::EnvironmentProfiler(Environment environment)
    : environment_(std::move(environment)), path_(WithPid(environment_.path)) {
  if (path_.empty()) {
    folder_ = CaptureFolder("");
    if (environment_.periodic())
      path_ = folder_ + "/" + DefaultWorkerName() + ".paddle_trace.json";
  } else {
    folder_ = std::filesystem::path(path_).parent_path().string();
    if (folder_.empty()) folder_ = ".";
  }
  core_ = std::make_shared<ProfilerCore>(MakeOptions(), CollectorRecorder(),
                                         DefaultTraceTools());
}

CoreOptions EnvironmentProfiler::MakeOptions() {
  CoreOptions options;
  options.flags = STEPSCOPE_QUIET;
  options.out_dir = folder_;
  options.on_trace_ready = [this] { return Export(); };
  if (environment_.period_steps > 0) {
    stepscope_schedule schedule = {};
    schedule.struct_size = sizeof(schedule);
    schedule.record = environment_.period_steps;
    options.scheduler = [schedule](int64_t step) {
      return stepscope_schedule_state(&schedule, step);
    };
  } else if (environment_.period_ns == 0) {
    options.flags |= STEPSCOPE_KEEP_CAPTURE;
    options.scheduler = [schedule =
                             ScheduleFor(*environment_.steps)](int64_t step) {
      return stepscope_schedule_state(&schedule, step);
    };
  }
  options.number_steps_by_window = environment_.periodic();
  return options;
}

std::string EnvironmentProfiler::Export() {
  Status done = MakeFolder(folder_);
  if (done) {
    done = core_->Export(
        path_.empty() ? TimedPath(folder_, "", ".paddle_trace.json") : path_,
        "");
  }
  return done ? "" : done.error().message;
}

void EnvironmentProfiler::Start() {
  due_ns_ = CollectorRecorder().NowNs() + environment_.period_ns;
  core_->Start();
  if (environment_.period_ns <= 0) return;
  stepscope_background_thread(0);
  ticker_ = std::thread(&EnvironmentProfiler::RunTicker, this);
}

void EnvironmentProfiler::Step() {
  if (core_->inert()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (environment_.period_ns > 0) RotateWhenDue(CollectorRecorder().NowNs());
  core_->Step(-1);
}

void EnvironmentProfiler::RotateWhenDue(int64_t now) {
  if (now < due_ns_) return;
  core_->Rotate();
  due_ns_ = now + environment_.period_ns;
}

// A busy server ends its periods in Step, between two steps; this thread does
// it for one that is idle, and therefore comes a little later.
void EnvironmentProfiler::RunTicker() {
  stepscope_background_thread(1);
  std::unique_lock<std::mutex> lock(mutex_);
  int64_t grace_ns = environment_.period_ns / 8;
  while (!finished_) {
    int64_t now = CollectorRecorder().NowNs();
    try {
      if (now >= due_ns_ + grace_ns) RotateWhenDue(now);
    } catch (...) {  // nothing but lack of memory
      core_->diagnostics().ReportNoMemory("the period goes on", nullptr);
      due_ns_ = now + environment_.period_ns;
    }
    finishing_.wait_for(lock,
                        std::chrono::nanoseconds(due_ns_ + grace_ns - now));
  }
  stepscope_background_thread(-1);
}

void EnvironmentProfiler::Finish() {
  if (core_->inert()) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    finished_ = true;
    finishing_.notify_all();
  }
  if (ticker_.joinable()) ticker_.join();
  core_->Wait(kDeliveryTimeoutMs);
  if (environment_.periodic() && core_->delivered() > 0) {
    core_->StopAndDiscard();
  } else {
    core_->Stop();
  }
}

void EnvironmentProfiler::GiveWay() {
  if (!environment_.periodic()) core_->StopAndDiscard();
}

// Of the library that `stepscope run` preloads; null without it. It then
// records this process, counts its steps, and stops when told to give way.
using GiveWayFunction = void (*)();
GiveWayFunction Injector() {
  return reinterpret_cast<GiveWayFunction>(
      dlsym(RTLD_DEFAULT, "stepscope_injector_give_way_v1"));
}

// Never destroyed: any thread may be inside stepscope_step() at exit. The other
// one still leads to it then, for who looks for leaks; nobody reads it.
std::atomic<EnvironmentProfiler*> active{nullptr};
EnvironmentProfiler* volatile kept = nullptr;

void FinishAtExit() {
  EnvironmentProfiler* profiler = active.exchange(nullptr);
  if (profiler != nullptr) profiler->Finish();
}

__attribute__((constructor)) void StartFromEnvironment() {
  try {
    Environment environment = ReadEnvironment();
    for (const std::string& complaint : environment.complaints)
      std::fprintf(stderr, "stepscope: %s\n", complaint.c_str());
    if (!environment.periodic() &&
        (!environment.steps || Injector() != nullptr))
      return;
    auto* profiler = new EnvironmentProfiler(std::move(environment));
    kept = profiler;
    std::atexit(&FinishAtExit);
    profiler->Start();
    active.store(profiler, std::memory_order_release);
  } catch (...) {
    std::fputs("stepscope: not enough memory to profile\n", stderr);
  }
}

}  // namespace

std::optional<StepBounds> EnvironmentSteps() { return ReadEnvironment().steps; }

void YieldEnvironment() {
  EnvironmentProfiler* profiler = active.load(std::memory_order_acquire);
  if (profiler != nullptr) profiler->GiveWay();
  const GiveWayFunction injector = Injector();
  if (injector != nullptr) injector();
}

void TellWhereItWrites(const std::string& path) {
  static std::atomic<bool> told{false};
  if (Injector() == nullptr ||
      secure_getenv("STEPSCOPE_RUN_QUIET") != nullptr || told.exchange(true))
    return;
  const std::string line =
      "stepscope: the program's own Profiler wrote " + path + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace stepscope::profiler

extern "C" void stepscope_step(void) noexcept {
  const stepscope::profiler::CancelOff cancel_off;
  stepscope::profiler::EnvironmentProfiler* profiler =
      stepscope::profiler::active.load(std::memory_order_acquire);
  if (profiler == nullptr) return;
  try {
    profiler->Step();
  } catch (...) {  // no memory: the step goes unmarked
  }
}
