// SPDX-License-Identifier: Apache-2.0
//
// The profiler behind the C ABI: steps, windows, timer, delivery. Thread-safe;
// no callback is called with a lock held. Held by shared_ptr, because windows
// under delivery outlive the handle if that takes too long.
#pragma once

#include <stepscope/c.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profiler/capture_window.h"
#include "profiler/diagnostics.h"
#include "profiler/recorder.h"
#include "profiler/step_timer.h"
#include "profiler/trace_tools.h"
#include "profiler/transition.h"

namespace stepscope::profiler {

struct CoreOptions {
  uint32_t flags = 0;  // stepscope_profiler_flag
  // The state of a step; not a state: CLOSED, and an error. None: RECORD.
  std::function<int(int64_t step)> scheduler;
  // On the delivery thread; returns "" or why it failed.
  std::function<std::string()> on_trace_ready;
  std::function<void(std::string_view)> print;  // none: standard output
  std::function<void(std::string_view)> warn;   // none: standard error
  std::string out_dir;
  uint64_t memory_budget = 0;  // bytes
  // ProfileStep# counts from the window's first step. A server that runs for
  // years would otherwise make a new name with every request.
  bool number_steps_by_window = false;
};

class ProfilerCore : public std::enable_shared_from_this<ProfilerCore> {
 public:
  ProfilerCore(CoreOptions options, Recorder& recorder, TraceTools& tools);

  // These return stepscope_status. A callback cannot start what the program
  // has stopped: each start would lead to another callback.
  int Start();
  int Step(int64_t num_samples);
  // The step that was entered is none; Resume() enters it again.
  int LeaveStep();
  int Stop();
  // Stops, and drops the window that is being recorded.
  int StopAndDiscard();
  int Reset();
  int Pause();
  int Resume();
  // Delivers the window that is being recorded and begins another, between
  // steps or in one.
  int Rotate();
  // True when every sealed window was delivered; never waits on the delivery
  // thread.
  bool Wait(int timeout_ms);

  // Of the window under delivery on the delivery thread, else of the last one,
  // which is waited for.
  Result<std::string> SummaryText(const stepscope_summary_options& options);
  Status Export(const std::string& path, std::string_view format);

  // Stops, waits, and calls no callback any more. False if one is still
  // running after the wait.
  bool Close();

  std::string StepInfo(const std::string& unit);
  void BeginRead(const void* reader);
  void EndRead(const void* reader, int64_t begin_ns);

  void Print(std::string_view text) const;
  Diagnostics& diagnostics() { return diagnostics_; }
  int64_t step_number() const;
  int state() const;
  int64_t delivered() const;  // windows so far
  bool timer_only() const {
    return (options_.flags & STEPSCOPE_TIMER_ONLY) != 0;
  }
  // In a forked child: nothing works, and nothing must be touched.
  bool inert() const;

 private:
  int AskScheduler(int64_t step);
  void ApplyLocked(const Transition& plan);
  void StartWindowLocked();
  void SealLocked(bool deliver);
  void OpenStepLocked();
  void TimeUnrecordedLocked(int64_t now);
  void TellOfLossesLocked(int64_t now);
  void CloseStepLocked(int64_t num_samples = -1);
  void BeginTimingLocked();
  void ResumeLocked();
  int Finish(bool deliver);
  void Deliver(const std::shared_ptr<CaptureWindow>& window, uint64_t resets);
  // True if the window is complete and was shown to the callback.
  bool Present(const std::shared_ptr<CaptureWindow>& window);
  void Discard(const std::shared_ptr<CaptureWindow>& window);
  void Post(std::unique_lock<std::mutex> lock);
  void RunCallback();
  Status WriteWindow(CaptureWindow& window, const std::string& path,
                     std::string_view format);
  Result<std::shared_ptr<CaptureWindow>> WindowAtHand();

  const CoreOptions options_;
  Recorder& recorder_;
  TraceTools& tools_;
  const uint32_t generation_;
  Diagnostics diagnostics_;

  mutable std::mutex mutex_;
  std::condition_variable delivered_changed_;
  bool running_ = false;
  bool closed_ = false;   // by Close
  bool held_ = false;     // stopped by the program, not by a callback
  bool resting_ = false;  // step_ is entered at Resume()
  bool rested_ = false;   // not entered where the step before it ended
  int64_t step_ = 0;
  int state_ = STEPSCOPE_STATE_CLOSED;
  int64_t window_first_step_ = 0;
  StepTimer timer_;
  // When the step began, if it was not recorded from there on; 0: it was, or
  // its time is not the program's own.
  int64_t unrecorded_from_ = 0;
  int64_t losses_at_ns_ = 0;  // when they were asked for last
  stepscope_scope step_scope_ = {nullptr, 0};
  std::string next_path_;  // of the capture to come, once prepared
  std::string path_;       // of the capture being recorded
  uint64_t session_ = 0;   // being recorded; 0: none
  uint64_t resets_ = 0;
  int windows_ = 0;      // sealed so far for delivery
  int64_t pending_ = 0;  // windows sealed and not yet dealt with
  int64_t delivered_ = 0;
  // For the delivery thread; posted when the lock is no longer held, because
  // a thread that cannot be had means that jobs run where they are posted.
  std::vector<std::function<void()>> outbox_;
  std::shared_ptr<CaptureWindow> delivering_;
  std::shared_ptr<CaptureWindow> last_;
};

}  // namespace stepscope::profiler
