// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/whatif.h"

#include <algorithm>
#include <cmath>

#include "analysis/order_statistics.h"
#include "base/text.h"

namespace stepscope {
namespace {

// Recorders took 1.2 to 3.5 us per host event where it was measured.
constexpr double kUsualRecorderNs = 2'000;
constexpr double kMostRecorderNs = 8'000;
constexpr int kRounds = 24;  // of a bisection
// Nearer than this to the recorded step, the cost cannot be solved for.
constexpr double kHidden = 0.03;

}  // namespace

Replayer::Replayer(const ReplayInput& input, const StepChoice& steps)
    : input_(input) {
  const ReplayGraph& graph = input.graph;
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    StepInterval step;
    step.index = graph.steps[i].index;
    step.warmup = graph.steps[i].warmup;
    if (!graph.has_steps || steps.Includes(step)) chosen_.push_back(i);
  }
  if (chosen_.empty()) return;
  recorded_step_ns_ =
      MedianPeriod(RecordedTimes(input.tree, graph), nullptr);
  Simulate(graph, graph.costs, times_);
  replay_step_ns_ = MedianPeriod(times_, &base_periods_);
  base_step_ns_ = replay_step_ns_;
}

int64_t Replayer::MedianPeriod(const ReplayTimes& times,
                               std::vector<int64_t>* all) {
  const StepPeriods periods = PeriodsOf(input_.graph, times);
  std::vector<int64_t> chosen;
  chosen.reserve(chosen_.size());
  for (const size_t i : chosen_) chosen.push_back(periods[i]);
  const int64_t median = Median(chosen);
  if (all != nullptr) *all = std::move(chosen);
  return median;
}

int64_t Replayer::StepOf(std::span<const Cost> costs) {
  Simulate(input_.graph, costs, times_);
  return MedianPeriod(times_, nullptr);
}

Scenario Replayer::MakeBase() const {
  Scenario base(input_);
  if (recorder_ns_ > 0) base.RemoveRecorder(recorder_ns_);
  if (host_factor_ != 1) {
    Change host;
    host.kind = Change::Kind::kHost;
    host.factor = host_factor_;
    base.Apply(host, Estimate::kLikely);
  }
  return base;
}

void Replayer::SetUnprofiled(int64_t step_ns) {
  if (empty() || step_ns <= 0) return;
  const auto step_at = [&](double ns_per_event) {
    recorder_ns_ = ns_per_event;
    return StepOf(MakeBase().costs());
  };
  // The largest cost for which the step is not shorter than it was without.
  const double wanted = static_cast<double>(step_ns);
  const bool hidden =
      wanted > static_cast<double>(replay_step_ns_) * (1 - kHidden);
  const double least = hidden ? wanted * (1 - kHidden) : wanted;
  double low = 0;
  double high = hidden ? kUsualRecorderNs : kMostRecorderNs;
  if (static_cast<double>(step_at(high)) >= least) {
    low = high;
  } else {
    for (int i = 0; i < kRounds && high - low > 1; ++i) {
      const double middle = (low + high) / 2;
      (static_cast<double>(step_at(middle)) >= least ? low : high) = middle;
    }
  }
  recorder_ns_ = low;
  base_step_ns_ = StepOf(MakeBase().costs());
  // What events do not explain (a slower processor, say) is host work as well.
  if (!hidden && static_cast<double>(base_step_ns_) > wanted * (1 + kHidden)) {
    double fast = 0;
    double slow = 1;
    for (int i = 0; i < kRounds && slow - fast > 1e-4; ++i) {
      host_factor_ = (fast + slow) / 2;
      const auto step = static_cast<double>(StepOf(MakeBase().costs()));
      (step >= wanted ? slow : fast) = host_factor_;
    }
    host_factor_ = slow;
  }
  Simulate(input_.graph, MakeBase().costs(), times_);
  base_step_ns_ = MedianPeriod(times_, &base_periods_);
}

// A notch of a box plot, and what the replay itself is off by.
int64_t Replayer::NoiseOf(const std::vector<int64_t>& periods) const {
  const int64_t quartiles = Quantile(periods, 3, 4) - Quantile(periods, 1, 4);
  const double notch = 1.58 * static_cast<double>(quartiles) /
                       std::sqrt(static_cast<double>(periods.size()));
  const double error = std::abs(
      static_cast<double>(replay_step_ns_ - recorded_step_ns_));
  return static_cast<int64_t>(notch + error);
}

WhatifChange Replayer::Ask(std::span<const Change> changes,
                           std::vector<std::string>& notes) {
  WhatifChange answer;
  answer.change = changes.size() == 1 ? changes[0].text : "all";
  const auto step_with = [&](Estimate estimate) {
    Scenario scenario = MakeBase();
    for (const Change& change : changes) {
      const uint64_t matches = scenario.Apply(change, estimate);
      if (estimate != Estimate::kLikely) continue;
      answer.matches += matches;
      if (!scenario.note().empty() && changes.size() == 1) {
        notes.push_back(scenario.note());
      }
    }
    return StepOf(scenario.costs());
  };
  answer.step_ns = step_with(Estimate::kLikely);
  if (answer.matches == 0) answer.step_ns = base_step_ns_;
  answer.saving_ns = base_step_ns_ - answer.step_ns;
  if (base_step_ns_ > 0) {
    answer.saving_ratio = static_cast<double>(answer.saving_ns) /
                          static_cast<double>(base_step_ns_);
  }
  answer.low_ns = answer.high_ns = answer.saving_ns;
  if (answer.matches == 0) return answer;
  for (const Estimate estimate : {Estimate::kCautious, Estimate::kHopeful}) {
    const int64_t saving = base_step_ns_ - step_with(estimate);
    answer.low_ns = std::min(answer.low_ns, saving);
    answer.high_ns = std::max(answer.high_ns, saving);
  }
  const int64_t noise = NoiseOf(base_periods_);
  if (answer.saving_ns != 0) {
    answer.low_ns -= noise;
    answer.high_ns = std::min(answer.high_ns + noise, base_step_ns_);
    if (answer.saving_ns > 0) answer.low_ns = std::max<int64_t>(0, answer.low_ns);
  }
  return answer;
}

Whatif ComputeWhatif(const Trace& trace, const WhatifOptions& options) {
  const EventTree tree(trace);
  const StepTable steps(tree);
  NameClasses names(trace.strings());
  const Communication communication(tree, names);
  const ReplayGraph graph = BuildReplayGraph(tree, steps, names);
  const ReplayInput input{tree, steps, names, communication, graph};
  Replayer replayer(input, options.steps);
  Whatif result;
  if (replayer.empty()) return result;
  result.steps = graph.has_steps ? replayer.chosen().size() : 0;
  result.recorded_step_ns = replayer.recorded_step_ns();
  result.replay_step_ns = replayer.replay_step_ns();
  if (result.recorded_step_ns > 0) {
    result.replay_error = static_cast<double>(result.replay_step_ns) /
                              static_cast<double>(result.recorded_step_ns) -
                          1;
  }
  result.unexplained_ns =
      graph.unexplained_ns / static_cast<int64_t>(graph.steps.size());
  if (options.unprofiled_ns) {
    replayer.SetUnprofiled(*options.unprofiled_ns);
    result.unprofiled_step_ns = options.unprofiled_ns;
    result.slow_down = static_cast<double>(result.recorded_step_ns) /
                       static_cast<double>(*options.unprofiled_ns);
    result.recorder_ns = replayer.recorder_ns();
  }
  for (const Change& change : options.changes) {
    result.changes.push_back(replayer.Ask({&change, 1}, result.notes));
    if (result.changes.back().matches == 0) {
      result.notes.push_back(change.text + ": nothing in the trace matches");
    }
  }
  if (options.changes.size() > 1) {
    result.changes.push_back(replayer.Ask(options.changes, result.notes));
  }
  return result;
}

}  // namespace stepscope
