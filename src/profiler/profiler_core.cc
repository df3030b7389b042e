// SPDX-License-Identifier: Apache-2.0
#include "profiler/profiler_core.h"

#include <cstdio>
#include <utility>

#include "base/text.h"
#include "profiler/output_names.h"
#include "profiler/process_state.h"
#include "profiler/schedule.h"

namespace stepscope::profiler {

ProfilerCore::ProfilerCore(CoreOptions options, Recorder& recorder,
                           TraceTools& tools)
    : options_(std::move(options)),
      recorder_(recorder),
      tools_(tools),
      generation_((ProcessState::Get(), ProcessState::Generation())),
      diagnostics_(options_.warn) {}

bool ProfilerCore::inert() const {
  return generation_ != ProcessState::Generation();
}

int ProfilerCore::Start() {
  if (inert()) return STEPSCOPE_NOT_RUNNING;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (running_ || closed_) {
      diagnostics_.Keep("Start: the profiler is already running");
      return STEPSCOPE_BUSY;
    }
    if (!DeliveryThread::IsCurrent()) held_ = false;
    if (held_) return STEPSCOPE_NOT_RUNNING;
    running_ = true;
  }
  diagnostics_.Clear();
  int state = STEPSCOPE_STATE_CLOSED;
  if (!timer_only()) state = AskScheduler(0);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!running_) return STEPSCOPE_OK;  // stopped by another thread meanwhile
    step_ = 0;
    state_ = state;
    if (!timer_only()) recorder_.UnrecordedStep(0);
    resting_ = (options_.flags & STEPSCOPE_START_AT_REST) != 0;
    rested_ = false;
    ApplyLocked(PlanStart(state));
    OpenStepLocked();
    timer_.Begin(recorder_.NowNs());
    BeginTimingLocked();
  }
  ProcessState::Get().AddRunning(shared_from_this());
  return STEPSCOPE_OK;
}

int ProfilerCore::Step(int64_t num_samples) {
  if (inert()) return STEPSCOPE_NOT_RUNNING;
  int64_t now = recorder_.NowNs();
  std::unique_lock<std::mutex> lock(mutex_);
  if (!running_) return STEPSCOPE_NOT_RUNNING;
  if (resting_) {  // there is no step to end
    ResumeLocked();
    return STEPSCOPE_OK;
  }
  timer_.EndStep(now, num_samples);
  TimeUnrecordedLocked(now);
  TellOfLossesLocked(now);
  if (timer_only()) {
    ++step_;
  } else {
    CloseStepLocked(num_samples);
    int64_t next = step_ + 1;
    lock.unlock();
    int state = AskScheduler(next);
    lock.lock();
    // A callback may have stopped it meanwhile; the step is over all the same.
    if (!running_) return STEPSCOPE_OK;
    step_ = next;
    rested_ = false;
    Transition plan = PlanTransition(state_, state);
    state_ = state;
    ApplyLocked(plan);
    OpenStepLocked();
  }
  timer_.BeginStep(recorder_.NowNs());
  BeginTimingLocked();
  Post(std::move(lock));
  return STEPSCOPE_OK;
}

// A step was entered, or waits for Resume().
void ProfilerCore::BeginTimingLocked() {
  const int64_t now = recorder_.NowNs();
  if (resting_) timer_.Pause(now);
  unrecorded_from_ = session_ == 0 && !timer_.paused() ? now : 0;
}

// Steps that a window was opened in, or that were interrupted, are left out.
void ProfilerCore::TimeUnrecordedLocked(int64_t now) {
  const int64_t from = std::exchange(unrecorded_from_, 0);
  if (from != 0 && session_ == 0 && !timer_only())
    recorder_.UnrecordedStep(now - from);
}

// While the program can still do something about it.
void ProfilerCore::TellOfLossesLocked(int64_t now) {
  constexpr int64_t kPeriodNs = 100'000'000;
  if (session_ == 0 || now - losses_at_ns_ < kPeriodNs) return;
  losses_at_ns_ = now;
  const std::string why = recorder_.WriteProblem();
  if (!why.empty())
    diagnostics_.Warn(Reason::kWriting, "events are being lost: " + why);
}

int ProfilerCore::Stop() { return Finish(true); }

int ProfilerCore::StopAndDiscard() { return Finish(false); }

int ProfilerCore::Finish(bool deliver) {
  if (inert()) return STEPSCOPE_NOT_RUNNING;
  std::string summary;
  std::unique_lock<std::mutex> lock(mutex_);
  if (!DeliveryThread::IsCurrent()) held_ = true;
  if (!running_) return STEPSCOPE_NOT_RUNNING;
  running_ = false;
  CloseStepLocked();
  Transition plan = PlanStop(state_);
  plan.deliver = plan.deliver && deliver;
  state_ = STEPSCOPE_STATE_CLOSED;
  ApplyLocked(plan);
  SealLocked(/*deliver=*/false);
  if ((options_.flags & STEPSCOPE_QUIET) == 0) summary = PerfSummary(timer_);
  Post(std::move(lock));
  ProcessState::Get().RemoveRunning(this);
  if (!summary.empty()) Print(summary);
  return STEPSCOPE_OK;
}

int ProfilerCore::Reset() {
  if (inert()) return STEPSCOPE_NOT_RUNNING;
  std::unique_lock<std::mutex> lock(mutex_);
  ++resets_;
  last_.reset();
  bool recording = session_ != 0;
  if (recording) {
    CloseStepLocked();
    SealLocked(/*deliver=*/false);
    StartWindowLocked();
    OpenStepLocked();
  }
  if (running_) timer_.Begin(recorder_.NowNs());
  if (resting_) timer_.Pause(recorder_.NowNs());
  Post(std::move(lock));
  return STEPSCOPE_OK;
}

int ProfilerCore::Rotate() {
  if (inert()) return STEPSCOPE_NOT_RUNNING;
  std::unique_lock<std::mutex> lock(mutex_);
  if (!running_ || session_ == 0) return STEPSCOPE_NOT_RUNNING;
  CloseStepLocked();
  SealLocked(/*deliver=*/true);
  window_first_step_ = step_ + 1;
  StartWindowLocked();
  Post(std::move(lock));
  return STEPSCOPE_OK;
}

int ProfilerCore::LeaveStep() {
  if (inert()) return STEPSCOPE_NOT_RUNNING;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!running_) return STEPSCOPE_NOT_RUNNING;
  if (std::exchange(resting_, true)) return STEPSCOPE_OK;
  rested_ = true;
  recorder_.TakeBackStep(
      std::exchange(step_scope_, stepscope_scope{nullptr, 0}));
  BeginTimingLocked();
  return STEPSCOPE_OK;
}

int ProfilerCore::Pause() {
  if (inert()) return STEPSCOPE_NOT_RUNNING;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!running_) return STEPSCOPE_NOT_RUNNING;
  timer_.Pause(recorder_.NowNs());
  unrecorded_from_ = 0;
  return STEPSCOPE_OK;
}

int ProfilerCore::Resume() {
  if (inert()) return STEPSCOPE_NOT_RUNNING;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!running_) return STEPSCOPE_NOT_RUNNING;
  ResumeLocked();
  return STEPSCOPE_OK;
}

void ProfilerCore::ResumeLocked() {
  timer_.Resume(recorder_.NowNs());
  if (!std::exchange(resting_, false)) return;
  OpenStepLocked();
  timer_.BeginStep(recorder_.NowNs());
  BeginTimingLocked();
}

std::string ProfilerCore::StepInfo(const std::string& unit) {
  if (inert()) return "";
  std::lock_guard<std::mutex> lock(mutex_);
  return timer_.StepInfo(unit);
}

void ProfilerCore::BeginRead(const void* reader) {
  if (inert()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  timer_.BeginRead(reader, recorder_.NowNs());
}

void ProfilerCore::EndRead(const void* reader, int64_t begin_ns) {
  if (inert()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  timer_.EndRead(reader, recorder_.NowNs() - begin_ns);
}

int64_t ProfilerCore::step_number() const {
  if (inert()) return 0;
  std::lock_guard<std::mutex> lock(mutex_);
  return step_;
}

int ProfilerCore::state() const {
  if (inert()) return STEPSCOPE_STATE_CLOSED;
  std::lock_guard<std::mutex> lock(mutex_);
  return state_;
}

int64_t ProfilerCore::delivered() const {
  if (inert()) return 0;
  std::lock_guard<std::mutex> lock(mutex_);
  return delivered_;
}

void ProfilerCore::Print(std::string_view text) const {
  if (options_.print) {
    options_.print(text);
    return;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int ProfilerCore::AskScheduler(int64_t step) {
  if (!options_.scheduler) return STEPSCOPE_STATE_RECORD;
  int state = options_.scheduler(step);
  if (IsState(state)) return state;
  diagnostics_.Report(
      Reason::kScheduler,
      Format("the scheduler threw or returned no state for step %lld; the "
             "step counts as CLOSED",
             static_cast<long long>(step)));
  return STEPSCOPE_STATE_CLOSED;
}

void ProfilerCore::ApplyLocked(const Transition& plan) {
  if (plan.warning != TransitionWarning::kNone) {
    diagnostics_.Warn(plan.warning == TransitionWarning::kCutShort
                          ? Reason::kCutShort
                          : Reason::kReadyUnused,
                      WarningText(plan.warning));
  }
  if (plan.warning == TransitionWarning::kReadyUnused) {
    next_path_.clear();
    recorder_.Unprepare();
  }
  if (plan.deliver) SealLocked(/*deliver=*/true);
  // A window that starts in the same breath needs no preparation.
  if (plan.prepare && !plan.start) {
    next_path_ = TimedPath(CaptureFolder(options_.out_dir), "", ".sscap");
    recorder_.Prepare(next_path_, options_.memory_budget);
  }
  if (plan.start) {
    window_first_step_ = step_;
    StartWindowLocked();
  }
}

void ProfilerCore::StartWindowLocked() {
  path_ = std::exchange(next_path_, "");
  if (path_.empty())
    path_ = TimedPath(CaptureFolder(options_.out_dir), "", ".sscap");
  Result<uint64_t> session =
      recorder_.Start(path_, options_.memory_budget, options_.flags);
  session_ = session ? *session : 0;
  if (!session) {
    diagnostics_.Report(
        Reason::kNotRecording,
        "steps are timed but not recorded: " + session.error().message);
  }
}

void ProfilerCore::OpenStepLocked() {
  if (session_ == 0 || resting_) return;
  int64_t number = step_;
  if (options_.number_steps_by_window) number -= window_first_step_;
  step_scope_ = recorder_.BeginStep(number, rested_);
}

void ProfilerCore::CloseStepLocked(int64_t num_samples) {
  recorder_.EndStep(std::exchange(step_scope_, stepscope_scope{nullptr, 0}),
                    num_samples);
}

void ProfilerCore::SealLocked(bool deliver) {
  if (session_ == 0) return;
  const uint64_t session = std::exchange(session_, 0);
  recorder_.Stop(session);
  if (!recorder_.has_window()) return;
  auto window =
      std::make_shared<CaptureWindow>(path_, session, windows_, tools_);
  if (deliver) {
    outbox_.push_back([self = shared_from_this(), window, resets = resets_] {
      self->Deliver(window, resets);
    });
    ++windows_;
  } else {
    outbox_.push_back(
        [self = shared_from_this(), window] { self->Discard(window); });
  }
  ++pending_;  // after what can run out of memory
}

void ProfilerCore::Post(std::unique_lock<std::mutex> lock) {
  std::vector<std::function<void()>> jobs = std::exchange(outbox_, {});
  lock.unlock();
  for (std::function<void()>& job : jobs)
    ProcessState::Get().delivery().Enqueue(std::move(job));
}

}  // namespace stepscope::profiler
