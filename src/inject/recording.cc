// SPDX-License-Identifier: Apache-2.0
#include "inject/recording.h"

#include <errno.h>
#include <stepscope/plugin.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/sync.h"
#include "inject/devices.h"

namespace stepscope::inject {

constinit Recording recording;

namespace {

// The collector holds a bounded number of names; beyond this many steps their
// number is an argument.
constexpr int64_t kMaxStepNames = 32768;
// How long the end of a process waits for device records.
constexpr int kExitMs = 5000;
// Steps after the window that are timed, to know what recording costs.
constexpr int kTimedAfter = 32;

using Lock = collector::MutexLock;

pid_t ThreadId() { return static_cast<pid_t>(syscall(SYS_gettid)); }

template <size_t kSize>
void Copy(char (&to)[kSize], const char* from) {
  std::snprintf(to, kSize, "%s", from);
}

stepscope_scope OpenStepEvent(int64_t index) {
  if (!stepscope_enabled()) return {nullptr, 0};
  if (index >= kMaxStepNames) {
    const stepscope_scope scope =
        stepscope_begin("ProfileStep", STEPSCOPE_PROFILE_STEP);
    stepscope_arg_i64(scope, "step", index);
    return scope;
  }
  char name[32];
  const int length = std::snprintf(name, sizeof(name), "ProfileStep#%lld",
                                   static_cast<long long>(index));
  return stepscope_begin_name(name, static_cast<size_t>(length),
                              STEPSCOPE_PROFILE_STEP);
}

}  // namespace

void FinishAtExit() { recording.Finish(); }

int64_t MonotonicNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void Complain(const char* format, ...) {
  const collector::CancelOff cancel_off;
  char line[1024] = "stepscope: ";
  constexpr size_t kStart = sizeof("stepscope: ") - 1;
  va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(line + kStart, sizeof(line) - kStart - 1, format,
                               arguments);
  va_end(arguments);
  if (n < 0) return;
  size_t length = kStart + static_cast<size_t>(n);
  if (length > sizeof(line) - 2) length = sizeof(line) - 2;
  line[length++] = '\n';
  // Nobody to tell if standard error is gone.
  if (write(STDERR_FILENO, line, length) < 0) return;
}

void Recording::Configure(const Settings& settings) {
  Copy(out_, settings.out);
  Copy(start_at_, settings.start_at);
  Copy(step_range_, settings.step_range);
  mode_ = settings.mode;
  quiet_ = settings.quiet;
  keep_steps_ = settings.keep_steps;
  slow_factor_ = settings.slow_factor;
  hang_after_ns_ = settings.hang_after_ns;
  if (mode_ == RecordMode::kFlight && settings.budget > 0)
    budget_ = StepBudget(settings.budget, static_cast<uint64_t>(MonotonicNs()));
  if (settings.steps.given() && !flies())
    window_ = StepWindow(settings.steps.first, settings.steps.last);
  range_seen_ = start_at_[0] == '\0';
  const int64_t now = MonotonicNs();
  armed_from_ns_ = settings.start_after_ns == 0
                       ? now
                       : settings.run_began_ns + settings.start_after_ns;
  grace_ns_ = settings.root_pid == getpid() ? kGraceNs : kGraceWithChildrenNs;
  due_ns_ = now + grace_ns_;
  SetStateLocked(State::kWaiting);
  ArmIfDueLocked(now);
}

// What the hot path must be told follows from the state.
void Recording::SetStateLocked(State state) {
  uint32_t attention = 0;
  const bool live = state == State::kWaiting || state == State::kArmed ||
                    state == State::kRecording ||
                    (state == State::kDone && after_left_ > 0);
  if (live && step_range_[0] != '\0') attention |= kNames;
  if (state == State::kWaiting && !range_seen_) attention |= kNames;
  if (state == State::kArmed && window_.OpenAtFirst()) attention |= kFirstEvent;
  state_.store(state, std::memory_order_release);
  attention_.store(attention, std::memory_order_relaxed);
}

void Recording::ArmIfDueLocked(int64_t now_ns) {
  if (state_.load() != State::kWaiting || !range_seen_ ||
      now_ns < armed_from_ns_)
    return;
  SetStateLocked(State::kArmed);
  if (listener_.load() != nullptr && window_.OpenAtFirst() && !flies())
    listener_.load()(true);
}

void Recording::SetTriggered(bool on) {
  triggered_.store(on);
  was_triggered_.store(true);
  TellDetail();
}

// A device takes a while to follow.
void Recording::SetAhead(bool on) {
  ahead_.store(on);
  was_triggered_.store(true);
  TellDetail();
}

// A trigger and the budget ask for operators, each on a thread of its own, and
// the budget for device work as well: all of it as long as there are no steps.
void Recording::TellDetail() {
  const Lock lock(&detail_mutex_);
  const bool on = triggered_.load() || full_step_.load();
  if (budgeted_.load())
    stepscope_record_device_work(on || ahead_.load() ? 1 : 0);
  if (detail_.exchange(on) == on) return;
  void (*const listener)(bool) = listener_.load();
  if (listener != nullptr) listener(on);
}

// The counters stand in the capture with the steps that they are of, so that
// they outlive the process and are kept as long as these.
void Recording::TakeBudgetLocked() {
  if (!budget_.on()) return;
  const bool triggered = triggered_.load() || ahead_.load();
  const bool alone = !was_triggered_.exchange(triggered) && !triggered;
  budgeted_.store(true);
  full_step_.store(budget_.Begin(MonotonicNs(), alone));
  TellDetail();
  // A step into which the device's switch falls is not recorded in full.
  const int work = stepscope_device_work();
  const bool full = detail_.load() && work != STEPSCOPE_WORK_LEFT_OUT;
  stepscope_counter_i64(kFullStepCounter, full ? 1 : 0);
  if (work != STEPSCOPE_WORK_ALWAYS)
    stepscope_counter_i64(kFullDeviceCounter, full ? 1 : 0);
  stepscope_counter_f64(kFullShareCounter, budget_.full_share());
  const RecordingCost cost = budget_.cost();
  if (!cost.known) return;
  stepscope_counter_f64(kCostCounter, cost.ratio);
  stepscope_counter_f64(kCostLowCounter, cost.low);
  stepscope_counter_f64(kCostHighCounter, cost.high);
}

void Recording::set_listener(void (*listener)(bool)) {
  const Lock lock(&mutex_);
  listener_.store(listener);
  const State state = state_.load();
  const bool first_event_starts =
      state == State::kArmed && window_.OpenAtFirst();
  const bool wanted = flies()
                          ? detail_.load()
                          : state == State::kRecording || first_event_starts;
  if (listener_.load() != nullptr && wanted) listener_.load()(true);
}

void Recording::Wake() {
  if ((attention_.load(std::memory_order_relaxed) & kFirstEvent) == 0) return;
  const Lock lock(&mutex_);
  if (state_.load() == State::kArmed && window_.OpenAtFirst()) StartLocked();
}

void Recording::Tick(int64_t now_ns) {
  const State state = state_.load(std::memory_order_acquire);
  if (state != State::kWaiting && state != State::kArmed) return;
  const Lock lock(&mutex_);
  ArmIfDueLocked(now_ns);
  if (state_.load() == State::kArmed && window_.OpenAtFirst() &&
      now_ns >= due_ns_)
    StartLocked();
}

// Of the watching thread alone.
void Recording::TellOfLosses(int64_t now_ns) {
  constexpr int64_t kPeriodNs = 100'000'000;
  if (told_of_losses_ || !recording() || now_ns - losses_at_ns_ < kPeriodNs)
    return;
  losses_at_ns_ = now_ns;
  stepscope_stats stats = {};
  stats.struct_size = sizeof(stats);
  if (stepscope_get_stats(&stats) != STEPSCOPE_OK ||
      stats.dropped[STEPSCOPE_DROP_IO] == 0)
    return;
  told_of_losses_ = true;
  Complain("process %d (%s): events are being lost: %s",
           static_cast<int>(getpid()), program_invocation_short_name,
           stepscope_last_error());
}

Recording::Range Recording::RangeBegins(std::string_view name, Source source) {
  RangeKind kind = KindOf(name);
  if (source == Source::kNvtx && kind != RangeKind::kStep)
    kind = RangeKind::kOther;
  Range range{TypeOf(kind), kind};
  const uint32_t attention = attention_.load(std::memory_order_relaxed);
  if (attention == 0 &&
      (kind == RangeKind::kOther || kind == RangeKind::kCollective))
    return range;
  const Lock lock(&mutex_);
  if (state_.load() == State::kWaiting) {
    if (!range_seen_ && MonotonicNs() >= armed_from_ns_ &&
        Matches(start_at_, name)) {
      range_seen_ = true;
    }
    ArmIfDueLocked(MonotonicNs());
  }
  if (!FollowsStepsLocked()) return range;
  if (state_.load() == State::kArmed && window_.OpenAtFirst()) StartLocked();
  if (step_range_[0] != '\0' && Matches(step_range_, name)) {
    range = {STEPSCOPE_PROFILE_STEP, RangeKind::kStep};
  }
  switch (range.kind) {
    case RangeKind::kStep:
      if (rule_.Begins(StepHint::kExplicit, ThreadId()))
        BeginStepLocked(/*open_event=*/false);
      break;
    case RangeKind::kLoaderNext:
      if (rule_.Begins(StepHint::kLoader, ThreadId()))
        BeginStepLocked(/*open_event=*/true);
      break;
    case RangeKind::kZeroGrad:
      if (rule_.BeginsWithZeroGrad(ThreadId()))
        BeginStepLocked(/*open_event=*/true);
      break;
    case RangeKind::kOptimizerStep:  // ends one, when it is over
    case RangeKind::kCollective:
    case RangeKind::kOther:
      break;
  }
  return range;
}

void Recording::RangeEnds(Range range, bool without_batch) {
  if (range.kind == RangeKind::kOther || range.kind == RangeKind::kZeroGrad ||
      range.kind == RangeKind::kCollective)
    return;
  const Lock lock(&mutex_);
  if (!FollowsStepsLocked()) return;
  if (range.kind == RangeKind::kStep) {
    if (rule_.best() == StepHint::kExplicit) ActLocked(window_.End(steps_ - 1));
  } else if (range.kind == RangeKind::kLoaderNext) {
    if (without_batch && rule_.Begins(StepHint::kLoader, ThreadId()))
      TakeBackStepLocked("end of data");
  } else {
    optimized_tick_ = stepscope_tick();
    // Without zero_grad the first step has no beginning, but it counts.
    const bool first = rule_.best() == StepHint::kNone;
    if (rule_.Begins(StepHint::kOptimizer, ThreadId())) {
      if (first) ++steps_;
      BeginStepLocked(/*open_event=*/true);
    }
  }
}

void Recording::Step() {
  const Lock lock(&mutex_);
  if (!FollowsStepsLocked()) return;
  if (state_.load() == State::kArmed && window_.OpenAtFirst()) StartLocked();
  const bool first = rule_.best() != StepHint::kExplicit;
  if (!rule_.Begins(StepHint::kExplicit, ThreadId())) return;
  if (first && steps_ == 0) ++steps_;
  BeginStepLocked(/*open_event=*/true);
}

// Some after the window too, to know how long they take.
bool Recording::FollowsStepsLocked() const {
  const State state = state_.load();
  return state == State::kArmed || state == State::kRecording ||
         (state == State::kDone && after_left_ > 0);
}

void Recording::BeginStepLocked(bool open_event) {
  EndStepLocked();
  if (unrecorded_from_ != 0)
    stepscope_unrecorded_step(MonotonicNs() - unrecorded_from_);
  const int64_t index = steps_++;
  ActLocked(window_.Begin(index));
  const State state = state_.load();
  // First of all: it may be the step with which recording begins.
  if (flies() && state == State::kRecording) {
    stepscope_flight_step(index);
    TakeBudgetLocked();
  }
  if (state == State::kDone && --after_left_ <= 0) SetStateLocked(state);
  unrecorded_from_ =
      window_.bounded() && state != State::kRecording ? MonotonicNs() : 0;
  if (open_event && state == State::kRecording) step_ = OpenStepEvent(index);
}

void Recording::EndStepLocked() {
  stepscope_end(step_);
  step_ = {nullptr, 0};
}

// The step that just began is none. Its event is already in the capture, so
// it becomes a mark of ours at that point: a range would be taken for one of
// the program's.
void Recording::TakeBackStepLocked(const char* name) {
  if (steps_ > 0) --steps_;
  unrecorded_from_ = 0;
  stepscope_thread_v1* thread = &stepscope_thread_local_v1;
  // As in stepscope_close_slot: still this thread's, and in its open chunk.
  if (step_.slot != nullptr && stepscope_gate() == thread->generation &&
      reinterpret_cast<uintptr_t>(thread->end) -
              reinterpret_cast<uintptr_t>(step_.slot) <=
          STEPSCOPE_CHUNK_BYTES &&
      __atomic_load_n(&step_.slot->begin, __ATOMIC_RELAXED) == step_.begin) {
    stepscope_site site = {name, STEPSCOPE_OVERHEAD, 0};
    stepscope_name_slot(step_.slot, stepscope_site_id(&site));
    __atomic_store_n(&step_.slot->dur, STEPSCOPE_DUR_INSTANT, __ATOMIC_RELEASE);
    step_ = {nullptr, 0};
  } else {  // handed over: whoever reads it makes the mark of it
    stepscope_arg_text(step_, "stepscope.mark", name, std::strlen(name));
  }
  EndStepLocked();
}

void Recording::ActLocked(StepWindow::Action action) {
  switch (action) {
    case StepWindow::Action::kNone:
      break;
    case StepWindow::Action::kPrepare: {
      char path[4096];
      PathLocked(path, sizeof(path));
      stepscope_options options = {};
      options.struct_size = sizeof(options);
      options.path = path;
      stepscope_prepare(&options);  // a failure shows again at the start
      break;
    }
    case StepWindow::Action::kStart:
      StartLocked();
      break;
    case StepWindow::Action::kStop:
      if (state_.load() == State::kRecording) {
        StopLocked();
        after_left_ = kTimedAfter;
      }
      SetStateLocked(State::kDone);
      break;
  }
}

// <program>_<pid>_<when the process was injected>_<count>.sscap
void Recording::PathLocked(char* out, size_t size) const {
  std::snprintf(out, size, "%s/%s_%d_%llx_%d.sscap", out_,
                program_invocation_short_name, static_cast<int>(getpid()),
                static_cast<unsigned long long>(due_ns_), captures_);
}

int Recording::StartSessionLocked(const char* path) {
  if (!flies()) {
    stepscope_options options = {};
    options.struct_size = sizeof(options);
    options.path = path;
    return stepscope_start(&options);
  }
  stepscope_flight_options options = {};
  options.struct_size = sizeof(options);
  if (mode_ == RecordMode::kOnDemand)
    options.flags = STEPSCOPE_FLIGHT_ON_DEMAND;
  options.folder = out_;
  options.path = path;
  options.steps = keep_steps_;
  options.slow_factor = slow_factor_;
  options.hang_ns = hang_after_ns_;
  options.detail = [](int on) { inject::recording.SetTriggered(on != 0); };
  options.ahead = [](int on) { inject::recording.SetAhead(on != 0); };
  return stepscope_flight_start(&options);
}

void Recording::StopSessionLocked() {
  if (flies())
    stepscope_flight_stop();
  else
    stepscope_stop();
}

void Recording::StartLocked() {
  char path[4096];
  PathLocked(path, sizeof(path));
  const int status = StartSessionLocked(path);
  if (status == STEPSCOPE_BUSY) {  // the program records by itself
    SetStateLocked(State::kGaveWay);
    return;
  }
  if (status != STEPSCOPE_OK) {
    if (!complained_) {
      Complain("process %d (%s) is not recorded: %s",
               static_cast<int>(getpid()), program_invocation_short_name,
               stepscope_last_error());
    }
    complained_ = true;
    SetStateLocked(State::kDone);
    return;
  }
  // Not when the library is loaded: handlers of that time run after the
  // destructors, of which one completes the capture.
  if (captures_++ == 0) std::atexit(&FinishAtExit);
  SetStateLocked(State::kRecording);
  if (listener_.load() != nullptr && !flies()) listener_.load()(true);
}

void Recording::StopLocked() {
  EndStepLocked();
  StopSessionLocked();
  if (listener_.load() != nullptr) listener_.load()(false);
}

void Recording::GiveWay() {
  const Lock lock(&mutex_);
  if (!quiet_ && state_.load() != State::kOff &&
      state_.load() != State::kGaveWay) {
    Complain(
        "process %d (%s) records with its own Profiler from here on; "
        "stepscope run records nothing more of it",
        static_cast<int>(getpid()), program_invocation_short_name);
  }
  if (state_.load() == State::kRecording) {
    EndStepLocked();
    StopSessionLocked();
  }
  // The program's own session wants operators as well.
  if (state_.load() != State::kOff && listener_.load() != nullptr)
    listener_.load()(true);
  SetStateLocked(State::kGaveWay);
}

void Recording::Finish() {
  const Lock lock(&mutex_);
  if (state_.load() != State::kRecording) return;
  FinishStepLocked();
  // The collector completes the file, after the program's last destructor. But
  // where there is a device, while its driver still works.
  if (!DevicesSeen() && !flies()) return;
  const uint64_t session = stepscope_session();
  StopLocked();
  SetStateLocked(State::kDone);
  stepscope_wait(session, kExitMs);
}

void Recording::FinishStepLocked() {
  if (rule_.best() != StepHint::kLoader) {
    // Began when the one before it ended, but nothing followed.
    TakeBackStepLocked("after the last step");
  } else if (step_.slot != nullptr && optimized_tick_ > step_.begin) {
    // The loop was left: its last step ended with the optimizer.
    if (!stepscope_close_slot(step_, optimized_tick_))
      stepscope_end_slow(step_, optimized_tick_);
    step_ = {nullptr, 0};
  } else {
    EndStepLocked();
  }
}

void Recording::ResetInForkedChild() {
  mutex_ = PTHREAD_MUTEX_INITIALIZER;
  step_ = {nullptr, 0};
  rule_ = StepRule();
  steps_ = 0;
  unrecorded_from_ = 0;
  after_left_ = 0;
  captures_ = 0;
  told_of_losses_ = false;
  detail_mutex_ = PTHREAD_MUTEX_INITIALIZER;
  triggered_.store(false, std::memory_order_relaxed);
  ahead_.store(false, std::memory_order_relaxed);
  budgeted_.store(false, std::memory_order_relaxed);
  full_step_.store(false, std::memory_order_relaxed);
  detail_.store(false, std::memory_order_relaxed);
  due_ns_ = MonotonicNs() + grace_ns_;
  // The gate is shut in a child; it opens its own capture at its first event.
  if (state_.load(std::memory_order_relaxed) == State::kRecording)
    SetStateLocked(State::kArmed);
}

}  // namespace stepscope::inject
