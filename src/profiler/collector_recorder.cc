// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <new>
#include <string_view>
#include <unordered_set>

#include "base/text.h"
#include "profiler/recorder.h"

namespace stepscope::profiler {
namespace {

stepscope_options Options(const std::string& path, uint64_t memory_budget) {
  stepscope_options options = {};
  options.struct_size = sizeof(options);
  options.path = path.c_str();
  options.memory_budget = memory_budget;
  return options;
}

Error CollectorError(int status, const std::string& path) {
  std::string why = stepscope_last_error();
  if (status == STEPSCOPE_TIMEOUT) {
    return Fail(ErrorCode::kIo,
                path + ": the capture was not complete in time");
  }
  if (why.empty())
    why = Format("%s: collector status %d", path.c_str(), status);
  return Fail(ErrorCode::kIo, why);
}

class Collector final : public Recorder {
 public:
  int64_t NowNs() override {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

  void Prepare(const std::string& path, uint64_t memory_budget) override {
    stepscope_options options = Options(path, memory_budget);
    stepscope_prepare(&options);  // a failure shows again at Start
  }

  void Unprepare() override {
    // With nothing recording, stop drops what was prepared.
    if (!stepscope_enabled()) stepscope_stop();
  }

  Result<uint64_t> Start(const std::string& path, uint64_t memory_budget,
                         uint32_t flags) override {
    stepscope_options options = Options(path, memory_budget);
    options.flags = flags & STEPSCOPE_EMIT_NVTX;
    int status = stepscope_start(&options);
    if (status != STEPSCOPE_OK) return CollectorError(status, path);
    return stepscope_session();
  }

  void Stop(uint64_t session) override {
    if (stepscope_session() == session) stepscope_stop();
  }

  Status Wait(uint64_t session, int timeout_ms) override {
    int status = stepscope_wait(session, timeout_ms);
    if (status == STEPSCOPE_OK || status == STEPSCOPE_NOT_RUNNING) return Ok();
    return CollectorError(status, "session");
  }

  stepscope_scope BeginStep(int64_t number, bool rested) override {
    if (!stepscope_enabled()) return stepscope_scope{nullptr, 0};
    const stepscope_scope scope = OpenStep(number);
    if (rested) stepscope_arg_i64(scope, "rested", 1);
    return scope;
  }
  void EndStep(stepscope_scope scope, int64_t num_samples) override {
    if (num_samples >= 0 && scope.slot != nullptr)
      stepscope_arg_i64(scope, "samples", num_samples);
    stepscope_end(scope);
  }

  // Its event is already in the capture. Whoever reads it makes a mark of it:
  // a range would be taken for one of the program's.
  void TakeBackStep(stepscope_scope scope) override {
    constexpr std::string_view kName = "end of steps";
    if (scope.slot != nullptr)
      stepscope_arg_text(scope, "stepscope.mark", kName.data(), kName.size());
    stepscope_end(scope);
  }

  std::string WriteProblem() override {
    stepscope_stats stats = {};
    stats.struct_size = sizeof(stats);
    if (stepscope_get_stats(&stats) != STEPSCOPE_OK ||
        stats.dropped[STEPSCOPE_DROP_IO] == 0)
      return "";
    const std::string why = stepscope_last_error();
    return why.empty() ? "the capture cannot be written" : why;
  }

  void UnrecordedStep(int64_t ns) override { stepscope_unrecorded_step(ns); }

 private:
  stepscope_scope OpenStep(int64_t number) {
    if (!MayName(number)) {
      stepscope_scope scope =
          stepscope_begin("ProfileStep", STEPSCOPE_PROFILE_STEP);
      stepscope_arg_i64(scope, "step", number);
      return scope;
    }
    char name[40];
    std::snprintf(name, sizeof(name), "ProfileStep#%lld",
                  static_cast<long long>(number));
    return stepscope_begin(name, STEPSCOPE_PROFILE_STEP);
  }

  // The collector holds a bounded number of names for the whole process. Of
  // more steps than this the number is an argument, so that the names of the
  // program's own events always find room.
  static constexpr size_t kMaxStepNames = 32768;

  bool MayName(int64_t number) {
    std::lock_guard<std::mutex> lock(mutex_);
    try {
      if (named_.size() < kMaxStepNames) named_.insert(number);
    } catch (const std::bad_alloc&) {  // the number becomes an argument
    }
    return named_.count(number) != 0;
  }

  std::mutex mutex_;
  std::unordered_set<int64_t> named_;
};

}  // namespace

Recorder& CollectorRecorder() {
  // Not allocated: callers cannot fail.
  alignas(Collector) static std::byte place[sizeof(Collector)];
  static Recorder* const recorder = new (place) Collector;
  return *recorder;
}

}  // namespace stepscope::profiler
