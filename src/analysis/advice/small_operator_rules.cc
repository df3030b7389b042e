// SPDX-License-Identifier: Apache-2.0
//
// Operators of the host that are so small that a large part of the step is
// getting to them: Python, dispatch, and the way back.
#include <algorithm>
#include <map>
#include <utility>

#include "analysis/advice/host_time.h"
#include "analysis/advice/program.h"
#include "analysis/interval_search.h"
#include "analysis/kinds.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

// An operator on a few elements takes a few microseconds, all of them overhead.
constexpr int64_t kSmallOperatorNs = 10'000;
// Between two operators; what takes longer is more than a call from Python.
constexpr int64_t kDispatchNs = 50'000;

struct SmallOperators {
  uint64_t calls = 0;
  int64_t time_ns = 0;
  int64_t between_ns = 0;  // from the end of one to the start of the next
  std::map<StringId, std::pair<uint64_t, Row>> names;  // calls, an example
};

// Outermost operators of a stepping thread, outside the loader.
void AddSmallOperators(const AdviceInput& input, uint32_t process,
                       SmallOperators& small) {
  const Trace& trace = input.trace();
  const uint32_t thread = input.steps.main_thread(process);
  if (thread == kNoThread) return;
  const IntervalSet loader = StagesOf(input, thread).loader;
  IntervalCollector collector;
  for (const Interval& step : StepsOf(input, process))
    collector.Add(step.begin, step.end);
  const IntervalSet steps = collector.Finish();
  OpenSpan outermost;
  int64_t last_end = INT64_MIN;
  input.tree.threads().ForEachRow(thread, [&](Row row) {
    if (trace.type()[row] != STEPSCOPE_OPERATOR) return;
    const int64_t start = trace.start_ns()[row];
    const int64_t end = input.tree.end_ns(row);
    if (!outermost.Enter(start, end)) return;
    const bool counts = end - start < kSmallOperatorNs &&
                        Contains(steps, start) && !Contains(loader, start);
    if (counts) {
      ++small.calls;
      small.time_ns += end - start;
      auto& [calls, example] = small.names[trace.name()[row]];
      ++calls;
      example = row;
      if (last_end != INT64_MIN && start > last_end &&
          start - last_end < kDispatchNs)
        small.between_ns += start - last_end;
    }
    last_end = counts ? end : INT64_MIN;
  });
}

}  // namespace

void FindSmallOperators(const AdviceInput& input, Advice& advice) {
  constexpr uint64_t kAtLeast = 50;  // per step
  constexpr double kLarge = 0.3;     // part of the steps
  if (!input.summary.has_steps || input.HasWorkInSteps()) return;
  const Trace& trace = input.trace();
  SmallOperators small;
  for (uint32_t i = 0; i < trace.processes().size(); ++i)
    AddSmallOperators(input, i, small);
  if (small.calls < kAtLeast * input.step_count() ||
      !input.IsWorthSaying(small.time_ns + small.between_ns, kLarge) ||
      !input.IsWorthSaying(small.between_ns))
    return;
  Finding finding;
  finding.id = "small_operators";
  finding.finding = "Much of the step goes to many small operators.";
  finding.saving_ns = input.OfAStep(small.between_ns);
  finding.saving_basis =
      "the time between small operators that follow each "
      "other; part of it is the recorder's";
  finding.evidence.push_back(
      {CountText(small.calls / input.step_count()) +
           " operators per step take less than " +
           Milliseconds(kSmallOperatorNs) +
           " each: " + Milliseconds(AverageNs(small.time_ns, small.calls)) +
           " on average, with " +
           Milliseconds(AverageNs(small.between_ns, small.calls)) +
           " from one to the next.",
       "", kNoRow, small.calls, small.time_ns});
  std::vector<std::pair<StringId, std::pair<uint64_t, Row>>> names(
      small.names.begin(), small.names.end());
  StableSort(names.begin(), names.end(), [](const auto& a, const auto& b) {
    return a.second.first > b.second.first;
  });
  if (names.size() > kMostExamples) names.resize(kMostExamples);
  for (const auto& [name, sum] : names) {
    const std::string text(trace.str(name));
    finding.evidence.push_back(
        {CountText(sum.first, "call") + " are of " + Quoted(text) + ".", text,
         sum.second, sum.first, 0});
  }
  if (FindCompiled(input) == Compiled::kNo) {
    finding.to_try.push_back(
        "compiling the model (torch.compile), so that Python is not asked for "
        "every operator");
  }
  finding.to_try.push_back("a larger batch: more work per operator");
  finding.to_try.push_back(
      "operators on whole tensors, or on lists of them "
      "(foreach=True), instead of loops");
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
