// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/savings.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/stats.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

// Pairs of findings beyond the first few are not worth the time.
constexpr size_t kMostPairs = 4;
// Two savings overlap if this much of the smaller one is lost together.
constexpr double kClearly = 0.25;
// A replay may find so many times what was measured.
constexpr double kClearlyMore = 1.1;

// Parses what a rule wrote; a rule that writes nonsense has no change.
std::optional<Change> ChangeOf(const Finding& finding) {
  if (finding.change.empty()) return std::nullopt;
  Result<Change> change = ParseChange(finding.change);
  if (!change) return std::nullopt;
  return *std::move(change);
}

// The arithmetic bound of the rule stays. False: it is next to nothing.
bool KeepBound(Finding& finding, int64_t step_ns) {
  finding.low_ns = 0;
  finding.saving_ns = std::min(finding.saving_ns, step_ns);
  finding.high_ns = finding.saving_ns;
  if (finding.saving_ns > 0) {
    finding.saving_basis =
        "an upper bound, not replayed: " + finding.saving_basis;
  }
  const bool had_change = !finding.change.empty();
  finding.change.clear();
  return !had_change || Ratio(finding.saving_ns, step_ns) >= kWorthSaying;
}

// Of the step that savings are of, what was measured in the recorded one.
int64_t OfStep(const Advice& advice, int64_t recorded_ns) {
  if (advice.recorded_step_ns <= advice.step_ns) return recorded_ns;
  return static_cast<int64_t>(static_cast<double>(recorded_ns) *
                              Ratio(advice.step_ns, advice.recorded_step_ns));
}

// Whether the trace says all about a change, so that one which finds nothing
// to change would change nothing.
bool IsDecidedByTrace(Change::Kind kind) {
  return kind == Change::Kind::kGraph || kind == Change::Kind::kFuseSmall ||
         kind == Change::Kind::kNoSync;
}

// Findings about a part of the step that the summary shows on average, and
// that may lie in few steps: the median step then has none of it.
bool MayBeInFewSteps(const Finding& finding) {
  return finding.id == "data_loader" || finding.id == "exposed_communication";
}

// What lies in few steps: it was measured on average, and a replay of all
// steps confirms it. False: it is next to nothing.
bool ShowAverage(const Finding& bound, const WhatifChange& answer,
                 uint64_t steps, Finding& finding) {
  if (!MayBeInFewSteps(bound)) return false;
  const int64_t saving = std::min(bound.saving_ns, answer.average_saving_ns);
  const double ratio = Ratio(saving, answer.average_step_ns);
  if (saving <= 0 || ratio < kWorthSaying) return false;
  finding = bound;
  finding.change.clear();
  finding.SetAverage(saving, ratio,
                     bound.saving_basis + ", on average over " +
                         CountText(steps, "step") +
                         "; the median step saves less than 3 %");
  return true;
}

}  // namespace

Savings::Savings(const AdviceInput& input, Advice& advice)
    : input_{input.tree, input.steps, input.names, input.communication,
             input.graph},
      replayer_(input_, StepChoice::Settled()) {
  advice.steps = input.summary.has_steps ? input.step_count() : 0;
  // Without steps, the longest window of a process.
  for (const StepParts& window : input.waterfall().steps) {
    advice.recorded_step_ns =
        std::max(advice.recorded_step_ns, window.length());
  }
  advice.step_ns = advice.recorded_step_ns;
  const IdleDevice* const device = input.BusiestDevice();
  if (device != nullptr && device->step_ns > 0 && input.TrustsIdleTime())
    advice.device_busy = 1 - Ratio(device->idle_ns, device->step_ns);
  if (replayer_.empty() || replayer_.replay_step_ns() <= 0) return;
  if (const auto& unprofiled = input.summary.step_time.unprofiled) {
    replayer_.SetUnprofiled(unprofiled->ns);
    advice.unprofiled_step_ns = unprofiled->ns;
  }
  if (input.graph.has_steps) {
    advice.steps = replayer_.chosen().size();
    advice.recorded_step_ns = replayer_.recorded_step_ns();
    advice.step_ns = replayer_.base_step_ns();
  }
  AdviceReplay replay;
  replay.step_ns = replayer_.replay_step_ns();
  if (replayer_.recorded_step_ns() > 0) {
    replay.error = static_cast<double>(replay.step_ns) /
                       static_cast<double>(replayer_.recorded_step_ns()) -
                   1;
  }
  replay.unexplained_ns =
      AverageNs(input.graph.unexplained_ns, input.graph.steps.size());
  advice.replay = replay;
}

bool Savings::ReplayOne(Finding& finding, int64_t step_ns) {
  const std::optional<Change> change = ChangeOf(finding);
  if (!change || replayer_.empty()) return KeepBound(finding, step_ns);
  const Finding bound = finding;
  std::vector<std::string> notes;
  const WhatifChange answer = replayer_.Ask({&*change, 1}, notes);
  if (answer.matches == 0)
    return !IsDecidedByTrace(change->kind) && KeepBound(finding, step_ns);
  if (bound.measured_ns > 0 &&
      static_cast<double>(answer.saving_ns) >
          kClearlyMore * static_cast<double>(bound.measured_ns)) {
    finding.saving_ns = bound.measured_ns;
    return KeepBound(finding, step_ns);
  }
  finding.replayed = true;
  finding.saving_ns = answer.saving_ns;
  finding.low_ns = answer.low_ns;
  finding.high_ns = answer.high_ns;
  for (const std::string& note : notes) {
    // Notes begin with the change that they are about.
    const size_t from =
        note.starts_with(finding.change + ": ") ? finding.change.size() + 2 : 0;
    finding.saving_basis += "; " + note.substr(from);
  }
  const bool shown =
      finding.low_ns > 0 && Ratio(finding.saving_ns, step_ns) >= kWorthSaying;
  if (shown) return true;
  if (Ratio(finding.saving_ns, step_ns) < kWorthSaying &&
      ShowAverage(bound, answer, replayer_.chosen().size(), finding))
    return true;
  if (!finding.always) return false;
  finding = bound;
  return KeepBound(finding, step_ns);
}

void Savings::Replay(Advice& advice) {
  std::erase_if(advice.findings, [&](Finding& finding) {
    if (finding.high_ns > 0 || finding.replayed) return false;  // done
    // What a rule measured is of the recorded step.
    finding.saving_ns = OfStep(advice, finding.saving_ns);
    finding.measured_ns = OfStep(advice, finding.measured_ns);
    const bool shown = ReplayOne(finding, advice.step_ns);
    if (!finding.average)
      finding.saving_ratio = Ratio(finding.saving_ns, advice.step_ns);
    return !shown;
  });
  StableSort(advice.findings.begin(), advice.findings.end(),
             [](const Finding& a, const Finding& b) {
               return a.saving_ns > b.saving_ns;
             });
}

void Savings::FindOverlaps(Advice& advice) {
  std::vector<Finding*> replayed;
  std::vector<Change> changes;
  for (Finding& finding : advice.findings) {
    // What ranks gain was replayed as a job, and is no change of a step.
    if (!finding.replayed || finding.change.empty()) continue;
    replayed.push_back(&finding);
    changes.push_back(*ChangeOf(finding));
  }
  if (replayed.size() < 2) return;
  std::vector<std::string> notes;
  advice.together_ns = replayer_.Ask(changes, notes).saving_ns;
  const size_t count = std::min(replayed.size(), kMostPairs);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i + 1; j < count; ++j) {
      const Change both[] = {changes[i], changes[j]};
      const int64_t together = count == 2 && replayed.size() == 2
                                   ? *advice.together_ns
                                   : replayer_.Ask(both, notes).saving_ns;
      const int64_t sum =
          SaturatingAdd(replayed[i]->saving_ns, replayed[j]->saving_ns);
      const double lost = static_cast<double>(sum - together);
      // j saves less: they are in that order.
      if (lost < kClearly * static_cast<double>(replayed[j]->saving_ns))
        continue;
      replayed[i]->overlaps.push_back({replayed[j]->id, together});
      replayed[j]->overlaps.push_back({replayed[i]->id, together});
    }
  }
}

}  // namespace stepscope
