// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compare.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace stepscope {
namespace {

CompareRow MakeRow(const CompareKey& key, const CompareItem* a,
                   const CompareItem* b, const StepProfile& steps_a,
                   const StepProfile& steps_b) {
  // What is missing took no time in any step.
  CompareItem none_a;
  none_a.per_step.count = steps_a.steps;
  CompareItem none_b;
  none_b.per_step.count = steps_b.steps;
  CompareRow row;
  row.key = key;
  row.in_a = a != nullptr;
  row.in_b = b != nullptr;
  const CompareItem& of_a = a != nullptr ? *a : none_a;
  const CompareItem& of_b = b != nullptr ? *b : none_b;
  row.calls_a = of_a.calls;
  row.calls_b = of_b.calls;
  row.mean_a = of_a.per_step.mean();
  row.mean_b = of_b.per_step.mean();
  row.change = Compare(of_a.per_step, of_b.per_step);
  // A peak is one number of the whole trace.
  if (key.table == CompareTable::kMemory) row.change.has_interval = false;
  return row;
}

void AddNotes(const StepProfile& a, const StepProfile& b,
              bool shapes_on_one_side, Comparison& result) {
  const auto note = [&](std::string text) {
    result.notes.push_back(std::move(text));
  };
  if (a.steps != b.steps && a.has_steps && b.has_steps) {
    note(Format("A has %llu steps, B %llu: all figures are means of a step.",
                static_cast<unsigned long long>(a.steps),
                static_cast<unsigned long long>(b.steps)));
  }
  const auto side = [&](const char* name, const StepProfile& profile) {
    if (!profile.has_steps) {
      note(std::string(name) +
           " has no steps: its recorded window is taken as one.");
    } else if (profile.steps < 2) {
      note(std::string(name) + " has one step: there is no interval.");
    }
    if (profile.outside > 0) {
      note(Format("%llu events of %s lie in no step and are not compared.",
                  static_cast<unsigned long long>(profile.outside), name));
    }
  };
  side("A", a);
  side("B", b);
  if (shapes_on_one_side) {
    note("Only one of the two has shapes: operators are matched by name.");
  }
  uint64_t only_a = 0;
  uint64_t only_b = 0;
  for (const CompareRow& row : result.rows) {
    only_a += row.in_a && !row.in_b;
    only_b += row.in_b && !row.in_a;
  }
  if (only_a + only_b > 0) {
    note(Format("%llu rows are only in A, %llu only in B; the other side "
                "counts as 0.",
                static_cast<unsigned long long>(only_a),
                static_cast<unsigned long long>(only_b)));
  }
}

}  // namespace

Verdict Comparison::verdict() const {
  if (step.change.has_interval ? !step.change.BeyondNoise()
                               : step.change.difference == 0) {
    return Verdict::kSame;
  }
  return step.change.difference > 0 ? Verdict::kSlower : Verdict::kFaster;
}

bool Comparison::IsSlowerBy(double percent) const {
  return verdict() == Verdict::kSlower && step.ratio() * 100 > percent;
}

Comparison CompareTraces(const Trace& a, const Trace& b) {
  const bool shapes_a = HasShapes(a);
  const bool shapes_b = HasShapes(b);
  const bool by_shape = shapes_a && shapes_b;
  const StepProfile of_a = MakeStepProfile(a, by_shape);
  const StepProfile of_b = MakeStepProfile(b, by_shape);
  Comparison result;
  result.steps_a = of_a.has_steps ? of_a.steps : 0;
  result.steps_b = of_b.has_steps ? of_b.steps : 0;
  auto in_a = of_a.items.begin();
  auto in_b = of_b.items.begin();
  while (in_a != of_a.items.end() || in_b != of_b.items.end()) {
    const bool take_a =
        in_b == of_b.items.end() ||
        (in_a != of_a.items.end() && in_a->first <= in_b->first);
    const bool take_b =
        in_a == of_a.items.end() ||
        (in_b != of_b.items.end() && in_b->first <= in_a->first);
    const CompareRow row = MakeRow(take_a ? in_a->first : in_b->first,
                                   take_a ? &in_a->second : nullptr,
                                   take_b ? &in_b->second : nullptr, of_a,
                                   of_b);
    if (take_a) ++in_a;
    if (take_b) ++in_b;
    if (row.key.table == CompareTable::kStep) {
      result.step = row;
    } else {
      result.rows.push_back(row);
    }
  }
  std::stable_sort(
      result.rows.begin(), result.rows.end(),
      [](const CompareRow& x, const CompareRow& y) {
        if (x.key.table != y.key.table) return x.key.table < y.key.table;
        return std::abs(x.change.difference) > std::abs(y.change.difference);
      });
  AddNotes(of_a, of_b, shapes_a != shapes_b, result);
  return result;
}

}  // namespace stepscope
