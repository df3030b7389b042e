// SPDX-License-Identifier: Apache-2.0
//
// Steps (ProfileStep events) and stages (the outermost Dataloader, Forward,
// Backward and Optimization events, and what stages.h concludes) as interval
// tables, with the device work that belongs to each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/autograd_names.h"
#include "analysis/event_tree.h"
#include "analysis/interval.h"

namespace stepscope {

struct StepInterval {
  Interval range;  // on the host
  // From the begin of the first to the end of the last piece of work that was
  // launched in it, and what the recorder marked as the step on a device;
  // 0 and 0 where there is none.
  Interval device;
  int64_t gpu_ns = 0;  // kernels, copies and sets launched in it, plain sum
  // Steps: from its start to the next one's, on the host or on the device,
  // whichever paces the loop; see step_pace.h. Never negative.
  int64_t period_ns = 0;
  int64_t period_begin_ns = 0;
  int64_t index = 0;     // steps: n of "ProfileStep#n" or the argument "step",
                         // else counted from 0
  int64_t samples = -1;  // steps: that it worked on; -1: not stated
  Row row = kNoRow;      // where concluded, the first event it follows from
  uint32_t thread = 0;
  uint16_t type = 0;      // STEPSCOPE_PROFILE_STEP or that of the stage
  bool inferred = false;  // stages: not marked by anybody
  bool warmup = false;    // steps: one of the first, and not like the others
  bool partly = false;    // steps: its operators were not recorded, where those
                          // of others were; see recording_budget.h
  bool device_left_out = false;  // steps: what its work took on a device was
                                 // not recorded in full, and is not idle time
  bool rested = false;  // steps: before it the program did something that is
                        // in no step, such as evaluation

  bool has_device() const { return device.begin != 0 || device.end != 0; }
  // When the host and the device were done with it.
  int64_t last_end() const {
    return has_device() && device.end > range.end ? device.end : range.end;
  }
};

// Whether `next`, the next one recorded, began where the step ended: none was
// left out, and the program did not rest in between.
inline bool FollowsOn(const StepInterval& step, const StepInterval& next) {
  return next.index == step.index + 1 && !next.rested;
}

// Work belongs to the step and the stage around its launch; when a helper
// thread launched it (autograd, a data loader) and has none of its own, to
// those in force at that time on the thread with the steps.
class StepTable {
 public:
  // `find_warmup`: false for a trace of chosen steps (see step_choice.h), which
  // are all meant.
  explicit StepTable(const EventTree& tree, bool find_warmup = true);

  // By thread, then by start.
  std::span<const StepInterval> steps() const { return steps_.spans; }
  std::span<const StepInterval> stages() const { return stages_.spans; }
  // Those of one thread.
  std::span<const StepInterval> steps_of(uint32_t thread) const {
    return std::span(steps_.spans)
        .subspan(steps_.first[thread],
                 steps_.first[thread + 1] - steps_.first[thread]);
  }
  // Whether the device paces the loop of a thread, and not the host.
  bool device_paces(uint32_t thread) const { return device_paces_[thread]; }
  // The thread that steps, by process; kNoThread if there is none.
  uint32_t main_thread(uint32_t process) const { return main_thread_[process]; }
  // Whether the stages of a thread are part of the steps: it steps itself.
  // Those of other threads go on beside. Without steps, all count.
  bool CountsStages(uint32_t thread) const { return counts_stages_[thread]; }
  // What of a range lies in steps of the thread: of a stage, the loader's last
  // call, which finds the end of the data, does not. Where no step of the
  // thread took time, all of it.
  int64_t TimeInSteps(uint32_t thread, const Interval& range) const;
  // The union of all steps; without steps, the recorded window. Its length is
  // total_ns().
  std::span<const Interval> all_steps() const { return all_steps_; }
  // Together, the steps of a process; 0 where none takes time.
  int64_t process_steps_ns(uint32_t process) const {
    return TotalLength(process_steps_[process]);
  }
  // What of a range lies in the steps of a process; where it has none, in the
  // recorded window.
  int64_t TimeInProcessSteps(uint32_t process, const Interval& range) const;
  // What ratios are taken over: the union of the steps; without steps, the
  // recorded window; never 0 unless nothing took any time.
  int64_t total_ns() const { return total_ns_; }
  // The recorded window; where none is stated, the span of the events.
  const Interval& window() const { return window_; }
  int64_t window_ns() const {
    return SaturatingSubtract(window_.end, window_.begin);
  }
  // All device work that was launched inside a step; without steps, all.
  int64_t gpu_ns() const { return gpu_ns_; }
  // All device work, whoever launched it and when.
  int64_t all_gpu_ns() const { return all_gpu_ns_; }
  // That of gpu_ns() which belongs to no stage that counts.
  int64_t gpu_outside_stages_ns() const { return gpu_outside_stages_ns_; }

 private:
  struct SpanList {
    std::vector<StepInterval> spans;
    std::vector<size_t> first;  // by thread; one more at the end
    size_t last_found = 0;      // where the next is likely to be found too

    // The span in force on a thread at a time, or null.
    StepInterval* Find(uint32_t thread, int64_t time_ns) {
      if (last_found < spans.size()) {
        StepInterval& span = spans[last_found];
        if (span.thread == thread && time_ns >= span.range.begin &&
            time_ns < span.range.end &&
            (last_found + 1 == first[thread + 1] ||
             time_ns < spans[last_found + 1].range.begin))
          return &span;
      }
      return Search(thread, time_ns);
    }
    StepInterval* Search(uint32_t thread, int64_t time_ns);
  };

  void Collect(const EventTree& tree, const AutogradNames& autograd);
  void Complete(const EventTree& tree, const AutogradNames& autograd);
  void ChooseMainThreads(const EventTree& tree);
  void ComputeTotal(const EventTree& tree);
  void CollectProcessSteps(const EventTree& tree);
  void AttributeWork(const EventTree& tree);
  void AddDeviceMarks(const EventTree& tree);
  void TimeSteps(const EventTree& tree, bool find_warmup);
  void FindPartlyRecorded(const EventTree& tree, bool find_partly);

  SpanList steps_;
  SpanList stages_;
  std::vector<uint32_t> main_thread_;
  std::vector<bool> device_paces_;  // by thread
  Interval window_;
  int64_t total_ns_ = 0;
  IntervalSet all_steps_;
  std::vector<IntervalSet> process_steps_;
  std::vector<bool> steps_take_time_;  // by thread
  int64_t gpu_ns_ = 0;
  int64_t all_gpu_ns_ = 0;
  int64_t gpu_outside_stages_ns_ = 0;
  std::vector<bool> counts_stages_;  // by thread
};

}  // namespace stepscope
