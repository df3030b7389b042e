// SPDX-License-Identifier: Apache-2.0
//
// What a step would take after a change, by replay.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/replay/change.h"
#include "analysis/replay/scenario.h"
#include "analysis/replay/simulate.h"
#include "analysis/step_choice.h"

namespace stepscope {

struct WhatifOptions {
  std::vector<Change> changes;
  // The step without a recorder; none: what the trace says of it, if it does.
  std::optional<int64_t> unprofiled_ns;
  StepChoice steps = StepChoice::Settled();
};

struct WhatifChange {
  std::string change;  // as given, or "all"
  int64_t step_ns = 0;
  int64_t saving_ns = 0;
  double saving_ratio = 0;  // of the step that it is taken from
  int64_t low_ns = 0;       // the range in which the saving is expected
  int64_t high_ns = 0;
  uint64_t matches = 0;  // events or ranges that it changed
  // Of all chosen steps, for what lies in few of them: the median step has
  // none of it.
  int64_t average_saving_ns = 0;
  int64_t average_step_ns = 0;  // that it is taken from
};

struct Whatif {
  uint64_t steps = 0;  // 0: the trace has none, its window was replayed
  int64_t recorded_step_ns = 0;
  std::optional<int64_t> unprofiled_step_ns;
  std::string unprofiled_doubt;       // see UnprofiledJudgement
  std::optional<double> slow_down;    // by recording
  int64_t replay_step_ns = 0;         // nothing changed
  double replay_error = 0;            // of the recorded step
  int64_t unexplained_ns = 0;         // of a step, on average
  double recorder_ns = 0;             // solved: per host event
  std::vector<WhatifChange> changes;  // as given; "all" last, if several
  std::vector<std::string> notes;
};

// The same replay for several questions: builds the graph once.
// Refers to the input. Not thread-safe.
class Replayer {
 public:
  Replayer(const ReplayInput& input, const StepChoice& steps);

  // Solves for what the recorder took, so that the step is that long.
  void SetUnprofiled(int64_t step_ns);

  bool empty() const { return chosen_.empty(); }
  const std::vector<size_t>& chosen() const { return chosen_; }
  int64_t recorded_step_ns() const { return recorded_step_ns_; }
  int64_t replay_step_ns() const { return replay_step_ns_; }
  // What savings are taken from: without the recorder, if that is known.
  int64_t base_step_ns() const {
    return stated_step_ns_.value_or(base_step_ns_);
  }
  double recorder_ns() const { return recorder_ns_; }
  // One change, or several together. Notes are added.
  WhatifChange Ask(std::span<const Change> changes,
                   std::vector<std::string>& notes);

 private:
  int64_t RecordedStep();
  Scenario MakeBase() const;
  int64_t StepOf(const Scenario& scenario,
                 std::vector<int64_t>* periods = nullptr);
  int64_t MedianPeriod(const ReplayTimes& times, std::vector<int64_t>* all);
  // How far the median of what the chosen steps save may be off.
  int64_t NoiseOf(const std::vector<int64_t>& savings) const;

  const ReplayInput& input_;
  std::vector<size_t> chosen_;  // of graph.steps
  ReplayTimes times_;
  std::vector<int64_t> base_periods_;
  int64_t recorded_step_ns_ = 0;
  int64_t replay_step_ns_ = 0;
  int64_t base_step_ns_ = 0;  // replayed
  std::optional<int64_t> stated_step_ns_;
  double recorder_ns_ = 0;
  double host_factor_ = 1;  // what is left to explain the unprofiled step
};

// Fails where none of the steps is chosen; the message names those there are.
Result<Whatif> ComputeWhatif(const Trace& trace, const WhatifOptions& options);

}  // namespace stepscope
