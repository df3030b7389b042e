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
  Interval range;
  int64_t gpu_ns = 0;  // kernels, copies and sets launched in it, plain sum
  int64_t index = 0;   // steps: n of "ProfileStep#n" or the argument "step",
                       // else counted from 0
  Row row = kNoRow;    // where concluded, the first event it follows from
  uint32_t thread = 0;
  uint16_t type = 0;   // STEPSCOPE_PROFILE_STEP or that of the stage
  bool inferred = false;  // not marked by anybody
};

// Work belongs to the step and the stage around its launch; when a helper
// thread launched it (autograd, a data loader) and has none of its own, to
// those in force at that time on the thread with the steps.
class StepTable {
 public:
  explicit StepTable(const EventTree& tree);

  // By thread, then by start.
  std::span<const StepInterval> steps() const { return steps_.spans; }
  std::span<const StepInterval> stages() const { return stages_.spans; }
  // The thread that steps, by process; kNoThread if there is none.
  uint32_t main_thread(uint32_t process) const {
    return main_thread_[process];
  }
  // Whether the stages of a thread are part of the steps: it steps itself.
  // Those of other threads go on beside. Without steps, all count.
  bool CountsStages(uint32_t thread) const { return counts_stages_[thread]; }
  // What ratios are taken over: the union of the steps; without steps, the
  // recorded window; never 0 unless nothing took any time.
  int64_t total_ns() const { return total_ns_; }
  // The recorded window; where none is stated, the span of the events.
  const Interval& window() const { return window_; }
  // All device work that was launched inside a step; without steps, all.
  int64_t gpu_ns() const { return gpu_ns_; }
  // That of it which belongs to no stage that counts.
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
             time_ns < spans[last_found + 1].range.begin)) {
          return &span;
        }
      }
      return Search(thread, time_ns);
    }
    StepInterval* Search(uint32_t thread, int64_t time_ns);
  };

  void Collect(const EventTree& tree, const AutogradNames& autograd);
  void Complete(const EventTree& tree, const AutogradNames& autograd);
  void ChooseMainThreads(const EventTree& tree);
  void ComputeTotal(const EventTree& tree);
  void AttributeWork(const EventTree& tree);

  SpanList steps_;
  SpanList stages_;
  std::vector<uint32_t> main_thread_;
  Interval window_;
  int64_t total_ns_ = 0;
  int64_t gpu_ns_ = 0;
  int64_t gpu_outside_stages_ns_ = 0;
  std::vector<bool> counts_stages_;  // by thread
};

}  // namespace stepscope
