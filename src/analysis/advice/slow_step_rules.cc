// SPDX-License-Identifier: Apache-2.0
//
// A step that took much longer than those around it: what was different in it.
// A window of the flight recorder that was saved for such a step has this one
// question.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/advice/host_time.h"
#include "analysis/order_statistics.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

constexpr size_t kNeighbours = 10;  // on either side, at most

// What a name took by itself in each of some steps.
struct NameInSteps {
  std::vector<int64_t> time_ns;  // by step
  Row longest = kNoRow;          // in the slow one
  int64_t longest_ns = 0;
};

struct Grown {
  StringId name;  // of none: nothing was recorded
  bool unrecorded = false;
  int64_t usual_ns = 0;
  int64_t more_ns = 0;
  Row example = kNoRow;
};

// The steps of its process that are near and are none of the slow ones; the
// slow step itself is at `slow`.
struct Neighbourhood {
  std::vector<Interval> steps;
  size_t slow = 0;
};

Neighbourhood AroundOf(const AdviceInput& input, const OutlierRow& slow) {
  std::vector<const StepParts*> all;
  size_t at = 0;
  for (const StepParts& step : input.waterfall().steps) {
    if (step.process != slow.process) continue;
    const auto& odd = input.summary.outliers;
    const bool is_slow = step.range.begin == slow.start_ns;
    if (!is_slow &&
        std::any_of(odd.begin(), odd.end(), [&](const OutlierRow& other) {
          return other.process == step.process &&
                 other.start_ns == step.range.begin;
        }))
      continue;
    if (is_slow) at = all.size();
    all.push_back(&step);
  }
  Neighbourhood around;
  const size_t first = at - std::min(at, kNeighbours);
  const size_t last = std::min(all.size(), at + kNeighbours + 1);
  for (size_t i = first; i < last; ++i) around.steps.push_back(all[i]->range);
  around.slow = at - first;
  return around;
}

// By how much more they took in the slow step, the most first.
std::vector<Grown> WhatGrew(const AdviceInput& input, uint32_t process,
                            const Neighbourhood& around) {
  const Trace& trace = input.trace();
  // Whether it was recorded, and the name.
  std::map<std::pair<bool, StringId>, NameInSteps> names;
  ForEachPieceInSteps(
      input, process, around.steps,
      [&](size_t step, const InnermostPiece& piece) {
        const bool unrecorded = IsUnrecorded(trace, piece);
        NameInSteps& name = names[{
            unrecorded, unrecorded ? StringId{} : trace.name()[piece.row]}];
        name.time_ns.resize(around.steps.size());
        const int64_t ns = piece.range.end - piece.range.begin;
        name.time_ns[step] = SaturatingAdd(name.time_ns[step], ns);
        if (step != around.slow || unrecorded || ns <= name.longest_ns) return;
        name.longest_ns = ns;
        name.longest = piece.row;
      });
  std::vector<Grown> grown;
  for (auto& [key, name] : names) {
    const int64_t now = name.time_ns[around.slow];
    name.time_ns.erase(name.time_ns.begin() +
                       static_cast<ptrdiff_t>(around.slow));
    const int64_t usual = Median(name.time_ns);
    grown.push_back({key.second, key.first, usual,
                     SaturatingSubtract(now, usual), name.longest});
  }
  StableSort(grown.begin(), grown.end(), [](const Grown& a, const Grown& b) {
    return a.more_ns > b.more_ns;
  });
  return grown;
}

std::string NameOfGrown(const Trace& trace, const Grown& grown) {
  return grown.unrecorded ? "time in which its thread recorded nothing"
                          : Quoted(trace.str(grown.name));
}

// Whether a window was saved for this step.
bool IsSavedFor(const AdviceInput& input, const OutlierRow& slow) {
  const Trace& trace = input.trace();
  const Process& process = trace.processes()[slow.process];
  return std::any_of(process.metadata.begin(), process.metadata.end(),
                     [&](const auto& fact) {
                       return trace.str(fact.first) == "saved" &&
                              trace.str(fact.second).starts_with("slow");
                     });
}

std::vector<std::string> RemediesOfPart(StepPart part) {
  std::vector<std::string> remedies = {
      "stepscope view, at the step: what the threads and the device did"};
  switch (part) {
    case StepPart::kInputStall:
      remedies.push_back(
          "a deeper queue of batches, so that a slow one is "
          "not waited for");
      break;
    case StepPart::kUnexplained:
      remedies.push_back(
          "stepscope run --python or ranges of your own, so "
          "that the code has a name");
      break;
    case StepPart::kCommunication:
      remedies.push_back(
          "the traces of the other ranks: one of them may have "
          "come late");
      break;
    default:
      remedies.push_back(
          "doing rare work (logging, saving, collecting "
          "garbage) on another thread, or between steps");
  }
  return remedies;
}

}  // namespace

void FindSlowStep(const AdviceInput& input, Advice& advice) {
  constexpr double kMany = 0.2;  // then none of them is an exception
  constexpr int64_t kClearPart = 10;
  const auto& outliers = input.summary.outliers;
  if (outliers.empty() || !input.summary.has_steps ||
      static_cast<double>(outliers.size()) >
          kMany * static_cast<double>(input.step_count()))
    return;
  int64_t excess = 0;
  for (const OutlierRow& row : outliers)
    excess = SaturatingAdd(excess, row.excess_ns);
  const OutlierRow& slow = outliers[0];
  if (!IsSavedFor(input, slow) && !input.IsWorthSaying(excess)) return;
  const Trace& trace = input.trace();
  const std::vector<Grown> grown =
      WhatGrew(input, slow.process, AroundOf(input, slow));
  Finding finding;
  finding.id = "slow_step";
  finding.finding = "Step " + std::to_string(slow.index) + " took " +
                    Milliseconds(slow.excess_ns) + " more than the usual step";
  if (!grown.empty() && grown[0].more_ns > slow.excess_ns / kClearPart) {
    finding.finding += ": " + NameOfGrown(trace, grown[0]) + " took " +
                       Milliseconds(grown[0].more_ns) + " more";
  }
  finding.finding += ".";
  finding.SetAverage(input.OfAStep(excess), input.ShareOfSteps(excess),
                     (outliers.size() == 1
                          ? std::string("the step takes")
                          : CountText(outliers.size(), "slow step") + " take") +
                         " as long as the others, on average over " +
                         CountText(input.step_count(), "step"));
  for (const Grown& one : grown) {
    if (finding.evidence.size() == kMostExamples ||
        one.more_ns <= slow.excess_ns / kClearPart)
      break;
    std::string what = NameOfGrown(trace, one);
    what[0] = what[0] == 't' ? 'T' : what[0];
    finding.evidence.push_back(
        {what + " took " + Milliseconds(one.more_ns + one.usual_ns) +
             " by itself in step " + std::to_string(slow.index) + ", " +
             Milliseconds(one.usual_ns) + " in the steps around it (median).",
         one.unrecorded ? "" : std::string(trace.str(one.name)), one.example, 0,
         one.more_ns});
  }
  finding.evidence.push_back(
      {"The part of the step that grew most is \"" +
           std::string(
               StepPartTitle(slow.cause, input.waterfall().device_events > 0)) +
           "\", by " + Milliseconds(slow.cause_excess_ns) + ".",
       "",
       kNoRow,
       0,
       slow.cause_excess_ns,
       {slow.start_ns, SaturatingAdd(slow.start_ns, slow.dur_ns)}});
  finding.to_try = RemediesOfPart(slow.cause);
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
