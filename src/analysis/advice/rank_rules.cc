// SPDX-License-Identifier: Apache-2.0
//
// Findings about ranks that wait for each other.
#include <algorithm>
#include <string>

#include "analysis/advice/rules.h"
#include "base/text.h"

namespace stepscope {
namespace {

constexpr size_t kMostNamedSteps = 6;
constexpr double kUnequal = 0.1;  // more computation than the mean

// "steps 6 and 9", "steps 3, 7, 12 and 20 more"
std::string StepList(const StragglerRow& row) {
  std::string text = row.steps.size() == 1 ? "step " : "steps ";
  const bool cut = row.steps.size() > kMostNamedSteps;
  const size_t shown = cut ? kMostNamedSteps : row.steps.size();
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == shown && !cut ? " and " : ", ";
    text += std::to_string(row.steps[i].step);
  }
  if (cut) text += " and " + CountText(row.steps.size() - shown) + " more";
  return text;
}

std::string RankTitle(int64_t rank) { return "Rank " + std::to_string(rank); }

std::string Waiters(const StragglerRow& row) {
  std::string text;
  const size_t shown = std::min(row.victims.size(), kMostExamples);
  for (size_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "" : ", ") +
            ("rank " + std::to_string(row.victims[i].rank)) + " for " +
            Milliseconds(row.victims[i].wait_ns);
  }
  if (row.victims.size() > shown) text += ", and others";
  return text;
}

// The step in which others waited for it longest; empty: its times are not
// known.
Interval WorstStep(const RankJob& job, const StragglerRow& row) {
  const auto worst =
      std::max_element(row.steps.begin(), row.steps.end(),
                       [](const StragglerStep& a, const StragglerStep& b) {
                         return a.delay_ns < b.delay_ns;
                       });
  if (worst == row.steps.end()) return {};
  for (const RankStepRow& step : job.steps)
    if (step.rank == row.rank && step.step == worst->step)
      return {step.start_ns, SaturatingAdd(step.start_ns, step.step_ns)};
  return {};
}

}  // namespace

void FindStraggler(const AdviceInput& input, Advice& advice) {
  const RankJob& job = input.summary.ranks;
  if (job.stragglers.empty()) return;
  const StragglerRow& worst = job.stragglers[0];
  if (worst.gain_ratio < kWorthSaying) return;
  Finding finding;
  finding.id = "straggler";
  finding.finding = RankTitle(worst.rank) + " comes late, and the others wait.";
  finding.saving_ns = worst.gain_ns;
  finding.saving_basis =
      "the rank comes when the next to last one does; by the arithmetic of "
      "arrivals, on average over " +
      CountText(job.step_count, "step");
  if (worst.replayed && worst.replayed->high_ns > 0) {
    const ReplayedGain& gain = *worst.replayed;
    finding.replayed = true;
    finding.low_ns = gain.low_ns;
    finding.high_ns = gain.high_ns;
    finding.saving_ns = gain.low_ns + (gain.high_ns - gain.low_ns) / 2;
    finding.saving_ratio =
        static_cast<double>(finding.saving_ns) /
        static_cast<double>(std::max<int64_t>(1, job.step_ns));
    finding.saving_basis =
        "the rank takes as long as the others do on average; by a replay of " +
        CountText(job.step_count, "step") +
        " of all ranks, in which work goes on beside collectives (least) or "
        "waits for each (most); clocks leave " +
        Milliseconds(gain.error_ns) + " open";
  }
  std::string what = "All others waited for it alone for " +
                     Milliseconds(worst.delays_ns) + " in " +
                     CountText(job.step_count, "step");
  if (!worst.steps.empty()) what += ", most in " + StepList(worst);
  finding.evidence.push_back({what + ": " + Waiters(worst) + ".", "", kNoRow,
                              worst.last, worst.delays_ns,
                              WorstStep(job, worst)});
  if (!worst.doing.empty()) {
    const bool nothing = worst.doing == "nothing recorded";
    finding.evidence.push_back(
        {nothing ? "Before it came, nothing was recorded on it for " +
                       Milliseconds(worst.doing_ns) +
                       " more than on the others: sleep, input, Python or "
                       "another process."
                 : "Before it came, it spent " + Milliseconds(worst.doing_ns) +
                       " more than the others in " + worst.doing + ".",
         nothing ? "" : worst.doing, kNoRow, 0, worst.doing_ns});
  }
  for (const RankRow& rank : job.ranks) {
    if (rank.rank != worst.rank || rank.load < 1 + kUnequal) continue;
    finding.evidence.push_back({"It computes " + Percent(rank.load - 1) +
                                    " more than the mean of all ranks.",
                                "", kNoRow, 0, rank.computation_ns});
  }
  for (size_t i = 1; i < job.stragglers.size(); ++i) {
    const StragglerRow& next = job.stragglers[i];
    if (next.gain_ratio < kWorthSaying) break;
    finding.evidence.push_back(
        {RankTitle(next.rank) + " is next: " + Milliseconds(next.delays_ns) +
             ", most in " + StepList(next) + ".",
         "", kNoRow, next.last, next.delays_ns, WorstStep(job, next)});
    if (finding.evidence.size() > kMostExamples) break;
  }
  finding.to_try = {
      "stepscope summary DIR --views stragglers,rank_steps for every step",
      "equal work for all ranks: batches of equal length, data of equal cost",
      "another machine for that rank: heat, a neighbour, slow storage"};
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
