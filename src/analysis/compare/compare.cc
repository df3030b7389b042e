// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/compare/compare_notes.h"
#include "analysis/compare/kind_profile.h"
#include "analysis/compare/rank_test.h"
#include "analysis/machine_load.h"
#include "base/executor.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

// Half of the 95 % interval of a median is so many quartile ranges over
// sqrt(n), where values are spread as errors usually are: 1.96 * 1.2533 /
// 1.349 (R. McGill, J. Tukey, W. Larsen: Variations of box plots, 1978).
constexpr double kQuartileRanges = 1.821;

double MedianNoise(const StepSample& sample, uint64_t processes) {
  // Processes of a job step together: their steps count as one.
  return kQuartileRanges * sample.quartile_range() *
         std::sqrt(static_cast<double>(processes) /
                   static_cast<double>(sample.count));
}

class Comparer {
 public:
  Comparer(const StepProfile& a, const StepProfile& b, const StepChange& step)
      : a_(a), b_(b), step_(step) {}

  CompareRow MakeRow(const CompareKey& key, const CompareItem* a,
                     const CompareItem* b) {
    // What is missing took no time in any step.
    const CompareItem none_a{0, {a_.steps, {}}};
    const CompareItem none_b{0, {b_.steps, {}}};
    CompareRow row;
    row.key = key;
    row.in_a = a != nullptr;
    row.in_b = b != nullptr;
    const CompareItem& of_a = row.in_a ? *a : none_a;
    const CompareItem& of_b = row.in_b ? *b : none_b;
    row.calls_a = of_a.calls;
    row.calls_b = of_b.calls;
    row.mean_a = of_a.per_step.mean();
    row.mean_b = of_b.per_step.mean();
    row.median_a = of_a.per_step.median();
    row.median_b = of_b.per_step.median();
    row.by_mean = row.median_a == 0 && row.median_b == 0 &&
                  (row.mean_a != 0 || row.mean_b != 0);
    if (key.table != CompareTable::kMemory) Judge(of_a, of_b, row);
    return row;
  }

  CompareRow MakeStepRow(const StepChange& change) {
    CompareRow row;
    row.key = {CompareTable::kStep, change.sample, ""};
    row.in_a = row.in_b = true;
    row.calls_a = a_.steps;
    row.calls_b = b_.steps;
    const auto sample = [](const std::vector<int64_t>& periods) {
      return StepSample::Of(periods, periods.size());
    };
    row.mean_a = sample(change.periods_a).mean();
    row.mean_b = sample(change.periods_b).mean();
    row.median_a = change.median_a_ns;
    row.median_b = change.median_b_ns;
    if (change.has_interval) {
      row.noise = row.a() * (change.ratio >= 0 ? change.ratio - change.low
                                               : change.high - change.ratio);
      row.p = change.p;
    }
    row.beyond_noise = change.verdict() == Verdict::kSlower ||
                       change.verdict() == Verdict::kFaster;
    return row;
  }

 private:
  void Judge(const CompareItem& a, const CompareItem& b, CompareRow& row) {
    if (std::min(a_.periods.size(), b_.periods.size()) <
        StepChange::kFewestSteps)
      return;
    const uint64_t processes = std::max(a_.processes, b_.processes);
    row.p =
        test_.Compare(a.per_step, b.per_step, static_cast<double>(processes)).p;
    if (!row.by_mean) {
      row.noise = std::hypot(MedianNoise(a.per_step, a_.processes),
                             MedianNoise(b.per_step, b_.processes)) +
                  step_.crowding_a * row.a() + step_.crowding_b * row.b();
    }
    row.beyond_noise = *row.p <= StepChange::kSignificance &&
                       (!row.noise || std::abs(row.difference()) > *row.noise);
  }

  const StepProfile& a_;
  const StepProfile& b_;
  const StepChange& step_;
  RankTest test_;
};

// Calls `visit(key, a, b)` for the items of either, in order; null where one
// side has none.
template <typename Visit>
void ForEachItem(const StepProfile& a, const StepProfile& b, Visit visit) {
  auto in_a = a.items.begin();
  auto in_b = b.items.begin();
  while (in_a != a.items.end() || in_b != b.items.end()) {
    const bool take_a = in_b == b.items.end() ||
                        (in_a != a.items.end() && in_a->first <= in_b->first);
    const bool take_b = in_a == a.items.end() ||
                        (in_b != b.items.end() && in_b->first <= in_a->first);
    visit(take_a ? in_a->first : in_b->first, take_a ? &in_a->second : nullptr,
          take_b ? &in_b->second : nullptr);
    if (take_a) ++in_a;
    if (take_b) ++in_b;
  }
}

Status CheckChoice(const char* side, const StepProfile& profile,
                   const StepChoice& choice) {
  if (choice.kind != StepChoice::Kind::kRange ||
      (profile.has_steps && profile.steps > 0))
    return Ok();
  const std::string name = std::string("--steps ") + StepChoiceText(choice);
  if (!profile.has_steps) {
    return Fail(ErrorCode::kInvalidArgument,
                name + ": " + side + " has no steps; leave --steps out");
  }
  return Fail(ErrorCode::kInvalidArgument,
              name + ": no such step of " + side +
                  " was recorded; it has steps " +
                  std::to_string(profile.first_index) + "-" +
                  std::to_string(profile.last_index));
}

// Of requests, their shares of a device.
bool HasBills(const std::vector<CompareRow>& rows) {
  return std::ranges::any_of(rows, [](const CompareRow& row) {
    return row.key.table == CompareTable::kServing &&
           row.key.name.starts_with("GPU, ");
  });
}

double CrowdingOf(const Trace& trace) {
  const std::optional<MachineLoad> load = FindMachineLoad(trace);
  return load ? load->crowding() : 0;
}

}  // namespace

bool Comparison::conclusive() const {
  if (gate) return gate->kind != GateAnswer::Kind::kUnresolved;
  return verdict() == Verdict::kSlower || verdict() == Verdict::kFaster;
}

std::optional<uint64_t> Comparison::steps_needed() const {
  return gate ? gate->steps_needed : change.StepsNeeded(std::abs(change.ratio));
}

Result<Comparison> CompareTraces(const Trace& a, const Trace& b,
                                 const CompareOptions& options) {
  const bool shapes_a = HasShapes(a);
  const bool shapes_b = HasShapes(b);
  const bool by_shape = shapes_a && shapes_b;
  StepProfile profiles[2];
  if (options.kind.empty()) {
    Executor::Shared().ForEach(2, [&](size_t i) {
      profiles[i] = MakeStepProfile(i == 0 ? a : b, options.steps, by_shape);
    });
  } else {
    STEPSCOPE_TRY_ASSIGN(profiles[0],
                         MakeKindProfile(a, options.kind, options.bill, "A"));
    STEPSCOPE_TRY_ASSIGN(profiles[1],
                         MakeKindProfile(b, options.kind, options.bill, "B"));
  }
  const StepProfile& of_a = profiles[0];
  const StepProfile& of_b = profiles[1];
  Comparison result;
  if (options.kind.empty()) {
    STEPSCOPE_TRY(CheckChoice("A", of_a, options.steps));
    STEPSCOPE_TRY(CheckChoice("B", of_b, options.steps));
  }
  result.name_a = options.name_a;
  result.name_b = options.name_b;
  result.steps_a = of_a.has_steps ? of_a.steps : 0;
  result.steps_b = of_b.has_steps ? of_b.steps : 0;
  result.warmup_a = of_a.warmup;
  result.warmup_b = of_b.warmup;
  result.change =
      CompareSteps(of_a.periods, of_b.periods,
                   options.kind.empty() ? "step" : SampleOfKind(options.kind));
  AllowForCrowding(CrowdingOf(a), CrowdingOf(b), result.change);
  Comparer comparer(of_a, of_b, result.change);
  result.step = comparer.MakeStepRow(result.change);
  if (options.fail_if_slower)
    result.gate = AskGate(result.change, *options.fail_if_slower / 100);
  ForEachItem(of_a, of_b,
              [&](const CompareKey& key, const CompareItem* item_a,
                  const CompareItem* item_b) {
                result.rows.push_back(comparer.MakeRow(key, item_a, item_b));
              });
  StableSort(result.rows.begin(), result.rows.end(),
             [](const CompareRow& x, const CompareRow& y) {
               if (x.key.table != y.key.table) return x.key.table < y.key.table;
               return std::abs(x.difference()) > std::abs(y.difference());
             });
  // Of a kind, all iterations are there.
  const StepChoice chosen =
      options.kind.empty() ? options.steps : StepChoice::Settled();
  AddNotes({a, of_a, shapes_a}, {b, of_b, shapes_b}, chosen, result);
  if (IsRequestKind(options.kind) && HasBills(result.rows))
    result.notes.push_back(
        "The requests of an iteration share its device time by the rule " +
        std::string(NameOf(options.bill)) + ".");
  return result;
}

Comparison CompareTraces(const Trace& a, const Trace& b) {
  return *CompareTraces(a, b, CompareOptions());
}

}  // namespace stepscope
