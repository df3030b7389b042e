// SPDX-License-Identifier: Apache-2.0
//
// The flight recorder: a session that keeps the last steps, and a watch that
// saves them when something happens. docs/decisions/0025 says why it is so.
//
// Two threads meet here. The one that trains says where a step begins: a store
// of the tick, a store of the step, and a load of the step at which there is
// something to do. The watch does the rest: it judges the steps that are over,
// moves the window on, reads requests and saves.
#pragma once

#include <pthread.h>
#include <stepscope/c.h>

#include <atomic>
#include <cstdint>

#include "collector/job_control.h"
#include "collector/step_judge.h"
#include "collector/window_filter.h"

namespace stepscope::collector {

class Flight {
 public:
  int Start(const stepscope_flight_options* options);
  int Stop();
  void Step(int64_t step);
  int AskToSave(const char* reason);
  // Only stores: other threads are gone.
  void ResetAfterFork();
  // The process ends: it is no longer of the job.
  void LeaveJob();
  // Steps that were cut short, when the watch has ended.
  void SaveCutSpan();

 private:
  static constexpr int64_t kNever = INT64_MAX;
  static constexpr uint32_t kMarks = 4096;

  // Steps that are recorded on request.
  enum class Span : uint32_t { kNone, kAhead, kOpen, kOver };

  // Training thread.
  void AtEdge(int64_t step);
  // Watch.
  static void* WatchMain(void* flight);
  bool StartWatch();
  void Watch();
  void JudgeSteps();
  void MoveWindow();
  void CheckForHang();
  void ReadRequests();
  void TakeRequest(const JobRequest& request);
  void TendSpan(int64_t now_ns);
  void SayAhead(bool on);
  void Report(const char* what, int64_t step, const char* reason);
  void SaveFor(const JobRequest& request, const TickWindow& window);
  bool MaySaveNow(int64_t now_ns);
  bool WatchEnds(int timeout_ms) const;
  void Answer(int request, const char* answer, const char* detail);
  void Say(bool urgent);

  uint64_t TickOf(int64_t step) const {
    return marks_[static_cast<uint64_t>(step) % kMarks].load(
        std::memory_order_relaxed);
  }
  int64_t NsOfTicks(uint64_t ticks) const;
  uint64_t TicksOfNs(int64_t ns) const;
  int64_t HangAfterNs() const;
  uint64_t WindowFrom(int64_t step) const;
  void FilePath(const char* folder, char* out, size_t room) const;
  int StartSession(const char* path, uint64_t budget);
  // Of an on-demand span: files and devices are ready before its first step.
  void PrepareSpan();
  void DropPreparedSpan();
  bool on_demand() const {
    return (options_.flags & STEPSCOPE_FLIGHT_ON_DEMAND) != 0;
  }

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;  // span_ and life
  std::atomic<bool> running_{false};
  std::atomic<uint32_t> watches_{0};   // bumped to end a watch
  std::atomic<bool> watching_{false};  // a watch has not ended yet
  uint32_t watch_ = 0;                 // watches_ when the last one was made
  stepscope_flight_options options_ = {};
  char folder_[3072] = {};
  uint64_t session_ = 0;

  // Shared with the training thread.
  std::atomic<int64_t> step_{-1};  // that it is in
  std::atomic<int64_t> edge_{kNever};
  std::atomic<uint64_t> marks_[kMarks] = {};  // ticks at which steps began
  std::atomic<int64_t> first_step_{-1};

  // Span of a trigger; under mutex_.
  Span span_ = Span::kNone;
  JobRequest span_request_;
  uint64_t span_from_ = 0;  // ticks
  uint64_t span_end_ = 0;
  int64_t span_until_ns_ = 0;  // where there are no steps
  bool span_failed_ = false;
  char span_error_[512] = {};  // why
  char span_path_[4096] = {};

  // The watch's own.
  JobControl control_;
  StepJudge judge_;
  int64_t judged_ = -1;       // steps up to here were judged
  int64_t quiet_until_ = -1;  // slow steps up to here are in a saved window
  int64_t hang_step_ = -1;    // a hang of this step was reported
  int64_t saves_[64] = {};    // when, a ring
  uint32_t save_count_ = 0;
  uint64_t tick0_ = 0;
  int64_t ns0_ = 0;
  int answered_ = 0;
  char answer_[16] = {};
  char answer_detail_[1024] = {};
  std::atomic<bool> save_asked_{false};
  pthread_mutex_t reason_mutex_ = PTHREAD_MUTEX_INITIALIZER;  // held briefly
  char asked_reason_[256] = {};
};

extern Flight flight;

}  // namespace stepscope::collector
