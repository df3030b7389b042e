// SPDX-License-Identifier: Apache-2.0
#include "analysis/headline.h"

#include "analysis/advice/rules.h"
#include "analysis/memory_script.h"
#include "analysis/stats.h"
#include "base/text.h"
#include "trace/job/process_ending.h"

namespace stepscope {
namespace {

// From here on it is no longer a detail.
constexpr double kMuch = 0.2;

void AddDoubts(const Summary& summary, std::vector<std::string>& said) {
  const Trace& trace = *summary.trace;
  uint64_t rejected = 0;
  for (const Source& source : trace.sources())
    for (const auto& [why, bin] : source.ledger.rejected())
      rejected += bin.count;
  if (IsStillRecorded(trace))
    said.push_back("This is what was recorded so far.");
  else if (!trace.complete())
    said.push_back(
        "This file is cut off: figures are of the part that was read.");
  else if (rejected > 0)
    said.push_back(CountText(rejected, "record") + " could not be read.");
}

}  // namespace

std::vector<std::string> HeadlineOf(const Summary& summary) {
  const Advice& advice = summary.advice;
  if (summary.trace->size() == 0) return {"Nothing was recorded."};
  std::vector<std::string> said;
  AddDoubts(summary, said);
  const std::string of =
      summary.has_steps ? " of a step." : " of the recorded time.";
  if (advice.device_busy >= 0)
    said.push_back("The GPU works " + Percent(advice.device_busy) + of);
  // A snapshot of memory has no operator that takes time.
  const double unrecorded =
      IsOfMemoryAlone(*summary.trace)
          ? 0
          : Ratio(summary.waterfall.part(StepPart::kUnexplained),
                  summary.waterfall.step_ns);
  if (unrecorded >= kMuch)
    said.push_back("Nothing was recorded in " + Percent(unrecorded) + of);
  if (!advice.findings.empty())
    said.push_back(advice.findings.front().finding);
  else if (!advice.nothing.empty())
    said.push_back(advice.nothing.front());
  else if (!summary.trace->complete() || unrecorded >= kMuch)
    said.push_back("Nothing stands out in what was recorded.");
  else
    said.push_back("Nothing stands out that slows the steps down.");
  return said;
}

std::vector<std::string> HeadlineOf(const RankJob& job) {
  if (!job.several()) return {};
  if (job.matched == 0)
    return {
        "No collective was recorded by two ranks, so nothing says who waited "
        "for whom."};
  if (job.stragglers.empty()) return {"No rank makes the others wait."};
  const StragglerRow& worst = job.stragglers.front();
  std::vector<std::string> said = {
      "Rank " + std::to_string(worst.rank) +
      " makes the others wait: " + Milliseconds(worst.delays_ns) + " in " +
      CountText(job.step_count, "step") + ", " + Percent(worst.gain_ratio) +
      " of a step."};
  if (worst.doing == "nothing recorded")
    said.push_back(
        "Before it comes, nothing is recorded on it for longer than on the "
        "others.");
  else if (!worst.doing.empty())
    said.push_back("Before it comes, it takes longer in " + worst.doing + ".");
  return said;
}

}  // namespace stepscope
