// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/whatif.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "analysis/order_statistics.h"
#include "analysis/stats.h"
#include "analysis/tables/step_time.h"
#include "base/text.h"

namespace stepscope {
namespace {

// Recorders took 0.7 to 1.3 us per host event where it was measured.
constexpr double kUsualRecorderNs = 1'000;
constexpr double kMostRecorderNs = 8'000;
// What the replay leaves out; in pairs of runs it was off by up to a tenth.
constexpr int64_t kModelShare = 10;
constexpr int kBisections = 24;
// Nearer than this to the recorded step, the cost cannot be solved for.
constexpr double kHidden = 0.03;

// Whether it could turn out either way, see Estimate.
bool IsEstimate(const Change& change) {
  return change.kind == Change::Kind::kDataReady ||
         change.kind == Change::Kind::kGraph ||
         change.kind == Change::Kind::kFuseSmall ||
         (change.kind == Change::Kind::kTensorCores && !change.factor);
}

int64_t MeanOf(std::span<const int64_t> values) {
  int64_t sum = 0;
  for (const int64_t value : values) sum = SaturatingAdd(sum, value);
  return AverageNs(sum, values.size());
}

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
  recorded_step_ns_ = RecordedStep();
  Simulate(graph, times_);
  replay_step_ns_ = MedianPeriod(times_, &base_periods_);
  base_step_ns_ = replay_step_ns_;
}

// As every other verb has it, from the steps themselves.
int64_t Replayer::RecordedStep() {
  if (!input_.graph.has_steps)
    return MedianPeriod(RecordedTimes(input_.tree, input_.graph), nullptr);
  std::unordered_map<Row, int64_t> period;
  for (const StepInterval& step : input_.steps.steps())
    period[step.row] = step.period_ns;
  std::vector<int64_t> chosen;
  for (const size_t i : chosen_)
    chosen.push_back(period[input_.graph.steps[i].row]);
  return Median(chosen);
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

int64_t Replayer::StepOf(const Scenario& scenario,
                         std::vector<int64_t>* periods) {
  Simulate(input_.graph, scenario.costs(), scenario.RunTimes(), times_);
  return MedianPeriod(times_, periods);
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
    return StepOf(MakeBase());
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
    for (int i = 0; i < kBisections && high - low > 1; ++i) {
      const double middle = (low + high) / 2;
      (static_cast<double>(step_at(middle)) >= least ? low : high) = middle;
    }
  }
  recorder_ns_ = low;
  base_step_ns_ = StepOf(MakeBase());
  // What events do not explain (a slower processor, say) is host work as well.
  if (!hidden && static_cast<double>(base_step_ns_) > wanted * (1 + kHidden)) {
    double fast = 0;
    double slow = 1;
    for (int i = 0; i < kBisections && slow - fast > 1e-4; ++i) {
      host_factor_ = (fast + slow) / 2;
      const auto step = static_cast<double>(StepOf(MakeBase()));
      (step >= wanted ? slow : fast) = host_factor_;
    }
    host_factor_ = slow;
  }
  base_step_ns_ = StepOf(MakeBase(), &base_periods_);
  stated_step_ns_ = step_ns;
}

// A notch of a box plot, and what the replay itself is off by.
int64_t Replayer::NoiseOf(const std::vector<int64_t>& savings) const {
  const int64_t quartiles = Quantile(savings, 3, 4) - Quantile(savings, 1, 4);
  const double notch = 1.58 * static_cast<double>(quartiles) /
                       std::sqrt(static_cast<double>(savings.size()));
  const double error =
      std::abs(static_cast<double>(replay_step_ns_ - recorded_step_ns_));
  return static_cast<int64_t>(notch + error);
}

WhatifChange Replayer::Ask(std::span<const Change> changes,
                           std::vector<std::string>& notes) {
  WhatifChange answer;
  answer.change = changes.size() == 1 ? changes[0].text : "all";
  std::vector<int64_t> periods;
  const auto step_with = [&](Estimate estimate) {
    Scenario scenario = MakeBase();
    for (const Change& change : changes) {
      const uint64_t matches = scenario.Apply(change, estimate);
      if (estimate != Estimate::kLikely) continue;
      answer.matches += matches;
      if (!scenario.note().empty() && changes.size() == 1)
        notes.push_back(scenario.note());
    }
    return StepOf(scenario, estimate == Estimate::kLikely ? &periods : nullptr);
  };
  // Of the step that was stated, where the replay comes near to it only.
  const auto stated = [&](int64_t ns) {
    if (!stated_step_ns_ || base_step_ns_ <= 0) return ns;
    return static_cast<int64_t>(std::llround(
        static_cast<double>(ns) * static_cast<double>(*stated_step_ns_) /
        static_cast<double>(base_step_ns_)));
  };
  int64_t step = step_with(Estimate::kLikely);
  if (answer.matches == 0) step = base_step_ns_;
  const int64_t base = base_step_ns();
  // A step of no length is none that could be shortened.
  answer.step_ns = base_step_ns_ > 0 ? stated(step) : base;
  answer.saving_ns = base - answer.step_ns;
  if (base > 0) {
    answer.saving_ratio =
        static_cast<double>(answer.saving_ns) / static_cast<double>(base);
  }
  answer.low_ns = answer.high_ns = answer.saving_ns;
  if (answer.matches == 0 || base_step_ns_ <= 0) return answer;
  const bool certain = std::none_of(changes.begin(), changes.end(), IsEstimate);
  for (const Estimate estimate : {Estimate::kCautious, Estimate::kHopeful}) {
    if (certain) break;
    const int64_t saving = base - stated(step_with(estimate));
    answer.low_ns = std::min(answer.low_ns, saving);
    answer.high_ns = std::max(answer.high_ns, saving);
  }
  // Step by step: that steps differ does not make the saving uncertain.
  for (size_t i = 0; i < periods.size(); ++i)
    periods[i] = base_periods_[i] - periods[i];
  answer.average_saving_ns = stated(MeanOf(periods));
  answer.average_step_ns = stated(MeanOf(base_periods_));
  if (answer.saving_ns == 0) return answer;
  const int64_t noise = stated(NoiseOf(periods));
  answer.low_ns -= noise;
  answer.high_ns += noise;
  answer.low_ns -= std::abs(answer.low_ns) / kModelShare;
  answer.high_ns += std::abs(answer.high_ns) / kModelShare;
  if (answer.saving_ns > 0) {
    answer.low_ns = std::max<int64_t>(0, answer.low_ns);
    answer.high_ns = std::min(answer.high_ns, base);
  }
  return answer;
}

namespace {

// "no step in 20:30; 8 steps from 3 to 10 were recorded"
Error NoSteps(const ReplayGraph& graph, const StepChoice& choice) {
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  for (const ReplayStep& step : graph.steps) {
    first = std::min(first, step.index);
    last = std::max(last, step.index);
  }
  return Fail(
      ErrorCode::kInvalidArgument,
      Format("no step in %s; those from %lld to %lld were recorded",
             StepChoiceText(choice).c_str(), static_cast<long long>(first),
             static_cast<long long>(last)));
}

void AddDoubts(const ReplayGraph& graph, std::vector<std::string>& notes) {
  const bool any_work = std::any_of(
      graph.nodes.begin(), graph.nodes.end(),
      [](const ReplayNode& node) { return node.kind == NodeKind::kWork; });
  if (!any_work)
    notes.push_back("no device work was recorded: only host work is replayed");
  if (graph.graph_calls_without_work > 0) {
    notes.push_back(Format(
        "%llu launches of graphs have no device work in the trace: their time "
        "on the device is not known, and is missing here",
        static_cast<unsigned long long>(graph.graph_calls_without_work)));
  }
  if (graph.repaired > 0) {
    notes.push_back(Format(
        "%llu times an event began before what it depends on (clocks that "
        "disagree); these were left out",
        static_cast<unsigned long long>(graph.repaired)));
  }
}

}  // namespace

Result<Whatif> ComputeWhatif(const Trace& trace, const WhatifOptions& options) {
  const EventTree tree(trace);
  const StepTable steps(tree);
  NameClasses names(trace.strings());
  const Communication communication(tree, names);
  const ReplayGraph graph = BuildReplayGraph(tree, steps, names);
  const ReplayInput input{tree, steps, names, communication, graph};
  Replayer replayer(input, options.steps);
  Whatif result;
  if (replayer.empty()) {
    if (!graph.steps.empty()) return NoSteps(graph, options.steps);
    result.notes.push_back("the trace has no events to replay");
    for (const Change& change : options.changes)
      result.changes.push_back({.change = change.text});
    return result;
  }
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
  const StepTime time = ComputeStepTime(tree, steps, options.unprofiled_ns);
  result.unprofiled_doubt = time.unprofiled_doubt;
  if (const auto& unprofiled = time.unprofiled) {
    replayer.SetUnprofiled(unprofiled->ns);
    result.unprofiled_step_ns = unprofiled->ns;
    result.slow_down = static_cast<double>(result.recorded_step_ns) /
                       static_cast<double>(unprofiled->ns);
    result.recorder_ns = replayer.recorder_ns();
  }
  if (replayer.chosen().size() < graph.steps.size()) {
    const auto left_out = graph.steps.size() - replayer.chosen().size();
    result.notes.push_back(
        Format("%zu of %zu steps left out%s; --steps all includes them",
               left_out, graph.steps.size(),
               options.steps == StepChoice::Settled() ? " as warm-up" : ""));
  }
  AddDoubts(graph, result.notes);
  for (const Change& change : options.changes) {
    result.changes.push_back(replayer.Ask({&change, 1}, result.notes));
    if (result.changes.back().matches == 0)
      result.notes.push_back(change.text + ": nothing in the trace matches");
  }
  if (options.changes.size() > 1)
    result.changes.push_back(replayer.Ask(options.changes, result.notes));
  return result;
}

}  // namespace stepscope
