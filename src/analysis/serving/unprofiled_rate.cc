// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/unprofiled_rate.h"

#include <algorithm>
#include <span>
#include <vector>

namespace stepscope {
namespace {

// Which of the steps, in order, has begun last and is not over; none: their
// number.
size_t StepAt(std::span<const StepInterval> steps, int64_t time_ns) {
  const auto after = std::upper_bound(
      steps.begin(), steps.end(), time_ns,
      [](int64_t t, const StepInterval& step) { return t < step.range.begin; });
  if (after == steps.begin() || time_ns >= after[-1].range.end)
    return steps.size();
  return static_cast<size_t>(after - 1 - steps.begin());
}

// Whether each step has one iteration, and each iteration is in a step.
bool EachIsOneStep(const EventTree& tree, const StepTable& steps,
                   const IterationTable& table) {
  const size_t processes = tree.trace().processes().size();
  std::vector<std::vector<uint32_t>> counts(processes);  // by step
  const auto steps_of = [&](size_t process) {
    const uint32_t thread = steps.main_thread(static_cast<uint32_t>(process));
    return thread == kNoThread ? std::span<const StepInterval>()
                               : steps.steps_of(thread);
  };
  for (size_t p = 0; p < processes; ++p) counts[p].resize(steps_of(p).size());
  for (const IterationRow& one : table.list) {
    const size_t at = StepAt(steps_of(one.process), one.start_ns);
    if (at == counts[one.process].size()) return false;
    ++counts[one.process][at];
  }
  return std::ranges::all_of(counts, [](const auto& of_process) {
    return std::ranges::all_of(of_process, [](uint32_t n) { return n == 1; });
  });
}

}  // namespace

void AddUnprofiledRate(const EventTree& tree, const StepTable& steps,
                       const StepTime& step_time,
                       std::optional<int64_t> stated_ns,
                       IterationTable& table) {
  if (table.kinds.size() != 1) return;
  IterationKindRow& row = table.kinds.front();
  std::optional<double> slow_down;
  if (step_time.steps > 0) {
    if (EachIsOneStep(tree, steps, table)) slow_down = step_time.slow_down();
  } else if (stated_ns && *stated_ns > 0 && row.period.p50_ns > 0) {
    slow_down = static_cast<double>(row.period.p50_ns) /
                static_cast<double>(*stated_ns);
  }
  if (slow_down && row.tokens_per_s)
    row.unprofiled_tokens_per_s = *row.tokens_per_s * *slow_down;
}

}  // namespace stepscope
