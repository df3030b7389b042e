// SPDX-License-Identifier: Apache-2.0
//
// Findings about code of the step that is none of its stages: callbacks and
// logging, evaluation, checkpoints.
#include <algorithm>
#include <map>
#include <utility>

#include "analysis/advice/host_time.h"
#include "analysis/advice/wait_names.h"
#include "analysis/interval_search.h"
#include "analysis/kinds.h"
#include "analysis/order_statistics.h"
#include "analysis/stats.h"
#include "analysis/tables/python.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

enum class OutsideKind : uint8_t {
  kCallback,
  kEvaluation,
  kCheckpoint,
  kWait  // for another thread: a finding of its own
};

// By the name of the function, in lower case.
OutsideKind KindOfFunction(std::string_view name) {
  if (KindOfWait(name) != WaitKind::kNone) return OutsideKind::kWait;
  std::string function(ParsePythonName(name).function);
  for (char& c : function)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto has = [&](std::string_view part) {
    return function.find(part) != std::string::npos;
  };
  if (has("checkpoint") || has("save_") || has(".save") || has("_save") ||
      function == "save")
    return OutsideKind::kCheckpoint;
  if (has("evaluat") || has("validat") || has("eval_") || has("_eval"))
    return OutsideKind::kEvaluation;
  return OutsideKind::kCallback;
}

// Calls of one name, outermost ones.
struct OutsideRange {
  StringId name;
  OutsideKind kind = OutsideKind::kCallback;
  uint64_t calls = 0;
  uint64_t steps = 0;   // that have some
  int64_t time_ns = 0;  // within steps
  std::vector<int64_t> by_step;
  Row longest = kNoRow;
  size_t last_step = SIZE_MAX;
};

constexpr TypeSet kOutsideTypes = kUserDefinedTypes |
                                  SetOf(STEPSCOPE_PYTHON_FUNCTION) |
                                  SetOf(STEPSCOPE_PYTHON_OP);

// Ranges that torch puts around its own parts of a step; some recorders do not
// take them for stages.
bool IsOfTheLoop(std::string_view name) {
  return name.starts_with("Optimizer.") || name.starts_with("enumerate(") ||
         name.starts_with("DistributedDataParallel.");
}

// Whether one of them does. REQUIRES: they are in the order of time.
bool BeginsInside(const std::vector<Interval>& set, const Interval& range) {
  const auto first = std::partition_point(
      set.begin(), set.end(),
      [&](const Interval& other) { return other.begin < range.begin; });
  return first != set.end() && first->begin < range.end;
}

class OutsideCollector {
 public:
  explicit OutsideCollector(const AdviceInput& input)
      : input_(input), trace_(input.trace()) {}

  std::vector<OutsideRange> Collect() {
    for (uint32_t i = 0; i < trace_.processes().size(); ++i) AddProcess(i);
    std::vector<OutsideRange> sorted;
    for (const auto& [name, range] : by_name_) sorted.push_back(range);
    StableSort(sorted.begin(), sorted.end(),
               [](const OutsideRange& a, const OutsideRange& b) {
                 return a.time_ns > b.time_ns;
               });
    return sorted;
  }

 private:
  void AddProcess(uint32_t process) {
    first_step_ = FirstStepOf(input_, process);
    const uint32_t thread = input_.steps.main_thread(process);
    if (thread == kNoThread || !input_.tree.Has(thread, kOutsideTypes)) return;
    const std::vector<Interval> steps = StepsOf(input_, process);
    const StageTimes stages = StagesOf(input_, thread);
    // Where no stage is known but the loader, none of them is outside.
    const bool knows_stages =
        TotalLength(stages.any) > TotalLength(stages.loader);
    int64_t until = INT64_MIN;
    input_.tree.threads().ForEachRow(thread, [&](Row row) {
      if ((SetOf(trace_.type()[row]) & kOutsideTypes) == 0 ||
          trace_.start_ns()[row] < until || !TakesTime(trace_, row))
        return;
      const Interval range{trace_.start_ns()[row], input_.tree.end_ns(row)};
      if (IsOfTheLoop(trace_.str(trace_.name()[row]))) return;
      const OutsideKind kind = KindOf(trace_.name()[row]);
      if (kind == OutsideKind::kWait) return;
      if (kind == OutsideKind::kCallback && !knows_stages) return;
      // Evaluation has a loader and a forward pass of its own.
      const IntervalSet& foreign =
          kind == OutsideKind::kEvaluation ? stages.training : stages.any;
      if (BeginsInside(steps, range) || BeginsInside(foreign, range) ||
          Contains(foreign, range.begin))
        return;
      if (!Add(row, kind, range, steps)) return;
      until = range.end;
    });
  }

  OutsideKind KindOf(StringId name) {
    const auto [at, is_new] = kinds_.try_emplace(name);
    if (is_new) at->second = KindOfFunction(trace_.str(name));
    return at->second;
  }

  // False: it lies in no step.
  bool Add(Row row, OutsideKind kind, const Interval& range,
           const std::vector<Interval>& steps) {
    auto step = std::partition_point(
        steps.begin(), steps.end(),
        [&](const Interval& other) { return other.end <= range.begin; });
    bool any = false;
    for (; step != steps.end() && step->begin < range.end; ++step) {
      OutsideRange& sum = by_name_[trace_.name()[row]];
      sum.name = trace_.name()[row];
      sum.kind = kind;
      sum.calls += any ? 0 : 1;
      any = true;
      const auto index = static_cast<size_t>(step - steps.begin());
      if (index != sum.last_step) ++sum.steps;
      sum.last_step = index;
      const int64_t ns =
          std::min(step->end, range.end) - std::max(step->begin, range.begin);
      sum.time_ns = SaturatingAdd(sum.time_ns, ns);
      sum.by_step.resize(input_.step_count());
      sum.by_step[first_step_ + index] += ns;
      if (sum.longest == kNoRow ||
          trace_.dur_ns()[row] > trace_.dur_ns()[sum.longest])
        sum.longest = row;
    }
    return any;
  }

  const AdviceInput& input_;
  const Trace& trace_;
  size_t first_step_ = 0;  // of the process, among all steps
  std::map<StringId, OutsideKind> kinds_;
  std::map<StringId, OutsideRange> by_name_;
};

// What takes most time by itself inside calls of a name; kNoRow: the calls.
struct InsideOf {
  Row row = kNoRow;
  int64_t time_ns = 0;
};

InsideOf LargestInside(const AdviceInput& input, StringId name) {
  const Trace& trace = input.trace();
  std::map<StringId, InsideOf> by_name;
  for (uint32_t i = 0; i < trace.processes().size(); ++i) {
    const std::vector<Interval> steps = StepsOf(input, i);
    ForEachPieceInSteps(input, i, steps,
                        [&](size_t, const InnermostPiece& piece) {
                          Row at = piece.row;
                          while (at != kNoRow && trace.name()[at] != name)
                            at = input.tree.parent(at);
                          if (at == kNoRow) return;
                          InsideOf& inside = by_name[trace.name()[piece.row]];
                          inside.row = piece.row;
                          inside.time_ns += piece.range.end - piece.range.begin;
                        });
  }
  InsideOf largest;
  for (const auto& [inner, inside] : by_name)
    if (inside.time_ns > largest.time_ns) largest = inside;
  return largest;
}

// In few steps, it is not part of the median step, which is replayed.
bool IsRare(const AdviceInput& input, const OutsideRange& range) {
  return range.steps * 2 < input.step_count();
}

std::string HeadlineOf(const AdviceInput& input, const OutsideRange& range,
                       const std::string& name) {
  const std::string takes =
      " takes " + (IsRare(input, range) ? input.PerStep(range.time_ns)
                                        : input.PerMedianStep(range.by_step));
  switch (range.kind) {
    case OutsideKind::kEvaluation:
      return "Evaluation inside the steps" + takes + ": " + Quoted(name) + ".";
    case OutsideKind::kCheckpoint:
      return "Saving inside the steps" + takes + ": " + Quoted(name) + ".";
    case OutsideKind::kCallback:
    case OutsideKind::kWait:
      break;
  }
  return Quoted(name) + takes +
         ", outside forward pass, backward pass, optimizer and data loader.";
}

std::vector<std::string> RemediesFor(OutsideKind kind) {
  switch (kind) {
    case OutsideKind::kEvaluation:
      return {"evaluating less often, or on fewer batches",
              "evaluating in another process, from a checkpoint",
              "ending the step before the evaluation, so that it is not "
              "counted as training"};
    case OutsideKind::kCheckpoint:
      return {"saving less often",
              "copying the state and writing it on another thread or process",
              "saving once per job, not once per rank"};
    case OutsideKind::kCallback:
    case OutsideKind::kWait:
      break;
  }
  return {"calling it every so many steps only",
          "doing its work on another thread: the step does not need it",
          "reading results from the device, and writing files, less often"};
}

std::string_view IdOf(OutsideKind kind) {
  switch (kind) {
    case OutsideKind::kEvaluation:
      return "evaluation";
    case OutsideKind::kCheckpoint:
      return "checkpoint";
    case OutsideKind::kCallback:
    case OutsideKind::kWait:
      break;
  }
  return "callback";
}

Finding MakeOutside(const AdviceInput& input, const OutsideRange& range) {
  const Trace& trace = input.trace();
  const std::string name(trace.str(range.name));
  Finding finding;
  finding.id = IdOf(range.kind);
  finding.finding = HeadlineOf(input, range, name);
  finding.covers = name;
  if (IsRare(input, range)) {
    finding.SetAverage(
        input.OfAStep(range.time_ns), input.ShareOfSteps(range.time_ns),
        "its time, on average over " + CountText(input.step_count(), "step"));
  } else {
    finding.change = "op:" + name + "=0";
    finding.saving_ns = finding.measured_ns = Median(range.by_step);
    finding.saving_basis = "it takes no time in the step; an upper bound";
  }
  finding.evidence.push_back(
      {CountText(range.calls, "call") + " in " + CountText(range.steps) +
           " of " + CountText(input.step_count(), "step") + ", " +
           Milliseconds(AverageNs(range.time_ns, range.calls)) +
           " each on average.",
       name, range.longest, range.calls, range.time_ns});
  const InsideOf inside = LargestInside(input, range.name);
  if (inside.row != kNoRow && trace.name()[inside.row] != range.name) {
    const std::string inner(trace.str(trace.name()[inside.row]));
    finding.evidence.push_back({"The largest part of that is " + Quoted(inner) +
                                    ": " + input.PerStep(inside.time_ns) +
                                    " by itself.",
                                inner, inside.row, 0, inside.time_ns});
  }
  finding.to_try = RemediesFor(range.kind);
  return finding;
}

}  // namespace

void FindWorkOutsideStages(const AdviceInput& input, Advice& advice) {
  if (!input.summary.has_steps) return;
  bool found[3] = {};
  for (const OutsideRange& range : OutsideCollector(input).Collect()) {
    if (!input.IsWorthSaying(range.time_ns)) break;
    bool& of_kind = found[static_cast<size_t>(range.kind)];
    if (of_kind) continue;
    of_kind = true;
    advice.findings.push_back(MakeOutside(input, range));
  }
}

}  // namespace stepscope
