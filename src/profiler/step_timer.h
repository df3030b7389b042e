// SPDX-License-Identifier: Apache-2.0
//
// The benchmark timer: how long a step takes, how much of it is waiting for
// data, and how many samples a second that makes. The caller gives the time
// (nanoseconds of any steady clock), so the timer itself reads no clock. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiler/series.h"

namespace stepscope::profiler {

// Figures of a set of steps.
struct StepFigures {
  Series batch;   // ns a step
  Series reader;  // ns of reading a step, of those steps that read
  int64_t samples = 0;
  double max_samples_per_second = 0;
  double min_samples_per_second = 0;

  void Add(int64_t batch_ns, std::optional<int64_t> reader_ns,
           int64_t num_samples);
};

class StepTimer {
 public:
  // Steps at the start of a run that do not count if there are later ones.
  static constexpr int64_t kWarmUpSteps = 10;

  // Forgets everything; the first step begins at `now`.
  void Begin(int64_t now);

  // A batch is asked for. The first reader seen is the reader; while another
  // one is in use the timer rests.
  void BeginRead(const void* reader, int64_t now);
  // The batch arrived after `dur`.
  void EndRead(const void* reader, int64_t dur);

  // The step ends; num_samples < 0: not stated. The next one begins with
  // BeginStep, so that work in between is in neither.
  void EndStep(int64_t now, int64_t num_samples);
  void BeginStep(int64_t now);

  // The time in between belongs to no step. Neither nests.
  void Pause(int64_t now);
  void Resume(int64_t now);

  // " reader_cost: %.5f s batch_cost: %.5f s ips: %.3f <unit>/s" over the
  // steps since the last call. `unit` empty: "samples".
  std::string StepInfo(const std::string& unit);

  int64_t steps() const { return steps_; }  // timed so far
  bool paused() const { return paused_; }
  bool in_samples() const { return in_samples_; }
  // What the speed counts, such as "images/s".
  std::string ips_unit() const;
  // Steps after the warm-up, or all if there are no such steps.
  const StepFigures& counted() const {
    return later_.batch.count() > 0 ? later_ : early_;
  }

 private:
  bool resting() const { return paused_ || other_reader_; }

  int64_t step_begin_ = 0;
  int64_t pause_begin_ = 0;
  bool paused_ = false;
  bool other_reader_ = false;
  bool reader_known_ = false;
  const void* reader_ = nullptr;
  std::optional<int64_t> read_ns_;  // of this step

  int64_t steps_ = 0;
  bool in_samples_ = true;
  std::string unit_ = "samples";
  StepFigures early_;
  StepFigures later_;
  StepFigures recent_;  // since the last StepInfo
};

// The Perf Summary; "" if no step was timed.
std::string PerfSummary(const StepTimer& timer);

}  // namespace stepscope::profiler
