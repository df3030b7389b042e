// SPDX-License-Identifier: Apache-2.0
//
// The life of the flight recorder, and what the thread that trains does for it.
// The watch is in flight_watch.cc.
#include "collector/flight.h"

#include <errno.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/clock.h"
#include "collector/error.h"
#include "collector/own_thread.h"
#include "collector/paths.h"
#include "collector/process_info.h"
#include "collector/session.h"
#include "collector/sync.h"

namespace stepscope::collector {

constinit Flight flight;

namespace {

constexpr int64_t kDefaultSteps = 20;
constexpr double kDefaultSlow = 3;
constexpr int64_t kDefaultSaves = 10;
constexpr uint64_t kDefaultBytes = uint64_t{256} << 20;
constexpr int kWatchEndsMs = 10000;
constexpr int64_t kMostSteps = 2000;  // marks are bounded

bool FolderOf(const stepscope_flight_options& options, char* out, size_t room) {
  const char* folder = options.folder;
  if (folder == nullptr || folder[0] == '\0')
    folder = secure_getenv("STEPSCOPE_OUT");
  if (folder == nullptr || folder[0] == '\0') folder = "profiler_log";
  return AbsolutePath(folder, out, room);
}

stepscope_options OptionsFor(const char* path, uint64_t budget) {
  stepscope_options options = {};
  options.struct_size = sizeof(options);
  options.path = path;
  options.memory_budget = budget;
  return options;
}

}  // namespace

int Flight::StartSession(const char* path, uint64_t budget) {
  const stepscope_options options = OptionsFor(path, budget);
  const int status = collector::StartSession(&options);
  if (status != STEPSCOPE_OK)
    std::snprintf(span_error_, sizeof(span_error_), "%s", LastError());
  return status;
}

void Flight::PrepareSpan() {
  const stepscope_options options =
      OptionsFor(span_path_, options_.memory_budget);
  PrepareSession(&options);  // a failure shows again at the start
}

void Flight::DropPreparedSpan() {
  if (!stepscope_enabled()) collector::StopSession();
}

int Flight::Start(const stepscope_flight_options* options) {
  const MutexLock lock(&mutex_);
  if (running_.load())
    return Fail(STEPSCOPE_BUSY, "the flight recorder is already running");
  if (!WatchEnds(kWatchEndsMs))
    return Fail(STEPSCOPE_BUSY, "the flight recorder is still saving");
  stepscope_flight_options given = {};
  if (options != nullptr) {
    if (options->struct_size < 8 || options->struct_size > 4096)
      return Fail(STEPSCOPE_INVALID,
                  "stepscope_flight_options: struct_size is %u, expected %zu",
                  options->struct_size, sizeof(given));
    std::memcpy(&given, options,
                options->struct_size < sizeof(given) ? options->struct_size
                                                     : sizeof(given));
  }
  if (given.steps < 0 || given.steps > kMostSteps)
    return Fail(STEPSCOPE_INVALID,
                "the flight recorder keeps 1 to %lld steps, not %lld",
                static_cast<long long>(kMostSteps),
                static_cast<long long>(given.steps));
  if (given.steps == 0) given.steps = kDefaultSteps;
  if (given.slow_factor == 0) given.slow_factor = kDefaultSlow;
  if (given.saves_per_hour <= 0) given.saves_per_hour = kDefaultSaves;
  if (given.saves_per_hour > 64) given.saves_per_hour = 64;
  if (given.max_bytes == 0) given.max_bytes = kDefaultBytes;
  options_ = given;
  if (!FolderOf(given, folder_, sizeof(folder_))) return STEPSCOPE_INVALID;
  step_.store(-1);
  first_step_.store(-1);
  edge_.store(kNever);
  span_ = Span::kNone;
  if (!on_demand()) {
    char steps[24];
    std::snprintf(steps, sizeof(steps), "%lld",
                  static_cast<long long>(given.steps));
    SetMetadata("flight_steps", steps);
    char path[4096];
    if (given.path != nullptr)
      std::snprintf(path, sizeof(path), "%.4000s", given.path);
    else
      FilePath("", path, sizeof(path));
    const int status = StartSession(path, given.memory_budget);
    if (status != STEPSCOPE_OK) return status;
    session_ = CurrentSession();
  }
  options_.path = nullptr;  // the caller's memory
  options_.folder = nullptr;
  if (!control_.Open(folder_) || !StartWatch()) {
    if (!on_demand()) collector::StopSession();
    return Fail(STEPSCOPE_IO, "%s: the job's control files cannot be made",
                folder_);
  }
  running_.store(true, std::memory_order_release);
  return STEPSCOPE_OK;
}

int Flight::Stop() {
  {
    const MutexLock lock(&mutex_);
    if (!running_.load())
      return Fail(STEPSCOPE_NOT_RUNNING, "the flight recorder does not run");
    running_.store(false, std::memory_order_release);
    edge_.store(kNever);
    watches_.fetch_add(1);
    if (span_ == Span::kOpen && options_.detail != nullptr) options_.detail(0);
  }
  // Steps that were asked for and cut short by the end of the program are
  // better than none.
  if (WatchEnds(kWatchEndsMs) && !on_demand() && span_from_ != 0 &&
      (span_ == Span::kOpen || span_ == Span::kOver))
    RunApart([](void* self) { static_cast<Flight*>(self)->SaveCutSpan(); },
             this);
  span_ = Span::kNone;
  LeaveJob();
  return on_demand() && !stepscope_enabled() ? int{STEPSCOPE_OK}
                                             : collector::StopSession();
}

void Flight::SaveCutSpan() { SaveFor(span_request_, {span_from_, UINT64_MAX}); }

void Flight::LeaveJob() { control_.Close(); }

void Flight::ResetAfterFork() {
  mutex_ = PTHREAD_MUTEX_INITIALIZER;
  running_.store(false, std::memory_order_relaxed);
  watches_.fetch_add(1, std::memory_order_relaxed);
  edge_.store(kNever, std::memory_order_relaxed);
  span_ = Span::kNone;
  watching_.store(false, std::memory_order_relaxed);
  control_.Abandon();
}

void Flight::Step(int64_t step) {
  if (!running_.load(std::memory_order_relaxed)) return;
  marks_[static_cast<uint64_t>(step) % kMarks].store(Now(),
                                                     std::memory_order_relaxed);
  if (first_step_.load(std::memory_order_relaxed) < 0)
    first_step_.store(step, std::memory_order_relaxed);
  step_.store(step, std::memory_order_release);
  if (STEPSCOPE_UNLIKELY(step >= edge_.load(std::memory_order_relaxed)))
    AtEdge(step);
}

// The first or the last step of a span begins.
void Flight::AtEdge(int64_t step) {
  const MutexLock lock(&mutex_);
  if (!running_.load()) return;
  if (span_ == Span::kAhead) {
    span_failed_ = false;
    if (step == span_request_.first && on_demand())
      span_failed_ =
          StartSession(span_path_, options_.memory_budget) != STEPSCOPE_OK;
    if (step != span_request_.first || span_failed_) {
      span_ = Span::kOver;
      span_from_ = 0;
      edge_.store(kNever);
      return;
    }
    span_from_ = TickOf(step);
    span_ = Span::kOpen;
    edge_.store(span_request_.last);
    if (options_.detail != nullptr) options_.detail(1);
    return;
  }
  if (span_ != Span::kOpen || step < span_request_.last) return;
  if (options_.detail != nullptr) options_.detail(0);
  if (on_demand()) {
    session_ = CurrentSession();
    collector::StopSession();
  }
  span_end_ = TickOf(step);
  span_ = Span::kOver;
  edge_.store(kNever);
}

int Flight::AskToSave(const char* reason) {
  const MutexLock lock(&mutex_);
  if (!running_.load())
    return Fail(STEPSCOPE_NOT_RUNNING, "the flight recorder does not run");
  if (on_demand())
    return Fail(STEPSCOPE_INVALID,
                "on demand, nothing is kept that could be saved");
  {
    const MutexLock reason_lock(&reason_mutex_);
    std::snprintf(asked_reason_, sizeof(asked_reason_), "%s",
                  reason != nullptr ? reason : "");
  }
  save_asked_.store(true, std::memory_order_release);
  return STEPSCOPE_OK;
}

void Flight::FilePath(const char* folder, char* out, size_t room) const {
  char label[64];
  ProcessLabel(label, sizeof(label));
  std::snprintf(out, room, "%s%s%s/%s_%d_%llx.sscap", folder_,
                folder[0] != '\0' ? "/" : "", folder, label,
                static_cast<int>(getpid()),
                static_cast<unsigned long long>(ProcessStart()));
}

}  // namespace stepscope::collector
