// SPDX-License-Identifier: Apache-2.0
//
// When this process is recorded: armed at once, after a time or at a range;
// then from the first event on, or from and to a step. One object per process,
// constant-initialised, never destroyed. Thread-safe.
//
// A process that has nothing to record and ends or executes another program
// within its time of grace leaves no capture: helpers do not litter. The
// command itself has little of it, a process that it starts has more.
#pragma once

#include <pthread.h>
#include <stepscope/c.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "inject/range_name.h"
#include "inject/settings.h"
#include "inject/step_budget.h"
#include "inject/step_rule.h"
#include "torch/range_kind.h"

namespace stepscope::inject {

inline constexpr int64_t kGraceNs = 50'000'000;
inline constexpr int64_t kGraceWithChildrenNs = 1'000'000'000;

class Recording {
 public:
  // REQUIRES: no other thread of the process runs yet.
  void Configure(const Settings& settings);

  // True while somebody must look at events before they are recorded. The one
  // thing that the hot path asks.
  bool wants_attention() const {
    return attention_.load(std::memory_order_relaxed) != 0;
  }
  const uint32_t* attention_word() const {
    static_assert(sizeof(attention_) == sizeof(uint32_t));
    return reinterpret_cast<const uint32_t*>(&attention_);
  }
  // An event is about to be recorded.
  void Wake();
  // A range begins; says as what it is recorded. Decides about steps, where
  // only torch's own ranges hint at those that the program does not name.
  struct Range {
    uint32_t type;
    RangeKind kind;
  };
  enum class Source : uint8_t { kNvtx, kTorch };
  Range RangeBegins(std::string_view name, Source source);
  // `without_batch`: a DataLoader was asked and had no more. REQUIRES: its
  // event has ended.
  void RangeEnds(Range range, bool without_batch = false);
  // The program says that a step is over.
  void Step();
  // A profiler of the program itself takes over.
  void GiveWay();
  // Called now and then; starts what is due.
  void Tick(int64_t now_ns);
  // Called now and then; says once if the capture cannot be written.
  void TellOfLosses(int64_t now_ns);
  // The process ends.
  void Finish();
  // Only stores: other threads are gone whatever they held.
  void ResetInForkedChild();

  // True while a capture of ours is being recorded.
  bool recording() const {
    return state_.load(std::memory_order_acquire) == State::kRecording;
  }
  // The flight recorder wants more for a trigger, or no more. Never waits for
  // what the other functions do.
  void SetTriggered(bool on);
  // Its steps are still to come.
  void SetAhead(bool on);
  // Told when events are wanted from here on, recorded or to begin recording
  // with the first of them, and when no more are; with the lock held.
  void set_listener(void (*listener)(bool recording));

 private:
  enum class State : uint32_t {
    kOff,
    kWaiting,  // for a time or a range
    kArmed,    // for the first event, or for a step
    kRecording,
    kDone,
    kGaveWay,
  };
  enum Attention : uint32_t { kFirstEvent = 1, kNames = 2 };

  void ArmIfDueLocked(int64_t now_ns);
  void StartLocked();
  void StopLocked();
  void ActLocked(StepWindow::Action action);
  void BeginStepLocked(bool open_event);
  void EndStepLocked();
  void FinishStepLocked();
  void TakeBackStepLocked(const char* name);
  void SetStateLocked(State state);
  bool FollowsStepsLocked() const;
  void PathLocked(char* out, size_t size) const;
  int StartSessionLocked(const char* path);
  void StopSessionLocked();
  bool flies() const { return mode_ != RecordMode::kAll; }
  void TakeBudgetLocked();
  void TellDetail();

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<State> state_{State::kOff};
  std::atomic<uint32_t> attention_{0};
  std::atomic<void (*)(bool)> listener_{nullptr};
  // Not kAll: the collector's flight recorder has the session, and operators
  // are observed only in the steps that a trigger asks for, and in those that
  // the budget allows.
  RecordMode mode_ = RecordMode::kAll;
  StepBudget budget_;
  std::atomic<bool> triggered_{false};
  std::atomic<bool> ahead_{false};
  std::atomic<bool> budgeted_{false};       // the budget has begun to decide
  std::atomic<bool> full_step_{false};      // by the budget
  std::atomic<bool> was_triggered_{false};  // since the step began
  pthread_mutex_t detail_mutex_ = PTHREAD_MUTEX_INITIALIZER;  // held briefly
  std::atomic<bool> detail_{false};  // what the listener was told
  int64_t keep_steps_ = 0;
  double slow_factor_ = 0;
  int64_t hang_after_ns_ = 0;
  StepRule rule_;
  StepWindow window_;
  int64_t steps_ = 0;  // begun since armed
  stepscope_scope step_ = {nullptr, 0};
  uint64_t optimized_tick_ = 0;  // when an optimizer last stepped
  int64_t unrecorded_from_ = 0;  // when a step began that is not recorded; or 0
  int after_left_ = 0;           // steps that are still timed after the window
  int64_t armed_from_ns_ = 0;
  int64_t grace_ns_ = kGraceNs;
  int64_t due_ns_ = 0;      // start then, event or not
  bool range_seen_ = true;  // start_at_ came by, or was not asked for
  bool quiet_ = false;
  bool complained_ = false;
  int64_t losses_at_ns_ = 0;  // when they were asked for last
  bool told_of_losses_ = false;
  int captures_ = 0;
  char out_[3072] = {};
  char start_at_[256] = {};
  char step_range_[256] = {};
};

extern Recording recording;

// For std::atexit: recording.Finish().
void FinishAtExit();

int64_t MonotonicNs();

// One line on standard error: "stepscope: <text>".
__attribute__((format(printf, 1, 2))) void Complain(const char* format, ...);

}  // namespace stepscope::inject
