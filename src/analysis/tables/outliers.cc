// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/outliers.h"

#include <algorithm>
#include <span>

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

constexpr size_t kFewestSteps = 5;

// The lower of the two in the middle; so it is a value that occurred.
int64_t LowerMedian(std::vector<int64_t> values) {
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <typename Value>
int64_t LowerMedianOf(std::span<const StepParts> steps, Value value) {
  std::vector<int64_t> values;
  values.reserve(steps.size());
  for (const StepParts& step : steps) values.push_back(value(step));
  return LowerMedian(std::move(values));
}

void AddProcess(std::span<const StepParts> steps,
                std::vector<OutlierRow>& rows) {
  if (steps.size() < kFewestSteps) return;
  const int64_t median =
      LowerMedianOf(steps, [](const StepParts& step) { return step.length(); });
  const int64_t deviation = LowerMedianOf(steps, [&](const StepParts& step) {
    return Magnitude(SaturatingSubtract(step.length(), median));
  });
  const double limit = std::max(3 * 1.4826 * static_cast<double>(deviation),
                                static_cast<double>(median) / 10);
  std::array<int64_t, kStepParts> usual{};
  bool usual_known = false;
  for (const StepParts& step : steps) {
    const int64_t excess = SaturatingSubtract(step.length(), median);
    if (static_cast<double>(excess) <= limit) continue;
    if (!usual_known) {
      usual_known = true;
      for (size_t i = 0; i < kStepParts; ++i) {
        usual[i] = LowerMedianOf(
            steps, [&](const StepParts& other) { return other.part_ns[i]; });
      }
    }
    OutlierRow row{
        step.index, step.process, step.range.begin,       step.length(),
        median,     excess,       StepPart::kUnexplained, INT64_MIN};
    for (size_t i = 0; i < kStepParts; ++i) {
      const int64_t more = SaturatingSubtract(step.part_ns[i], usual[i]);
      if (more <= row.cause_excess_ns) continue;
      row.cause_excess_ns = more;
      row.cause = static_cast<StepPart>(i);
    }
    rows.push_back(row);
  }
}

}  // namespace

std::vector<OutlierRow> ComputeOutliers(const Waterfall& waterfall) {
  std::vector<OutlierRow> rows;
  const std::span<const StepParts> all(waterfall.steps);
  for (size_t first = 0; first < all.size();) {
    size_t last = first + 1;
    while (last < all.size() && all[last].process == all[first].process) ++last;
    AddProcess(all.subspan(first, last - first), rows);
    first = last;
  }
  StableSort(rows.begin(), rows.end(),
             [](const OutlierRow& a, const OutlierRow& b) {
               return a.excess_ns > b.excess_ns;
             });
  return rows;
}

namespace {

struct OddStep {
  const OutlierRow* row = nullptr;
  int64_t pid = 0;
};

RowList OddSteps(const Summary& summary) {
  std::vector<OddStep> rows;
  for (const OutlierRow& row : summary.outliers)
    rows.push_back({&row, summary.trace->processes()[row.process].pid});
  return RowList::Own(std::move(rows));
}

}  // namespace

TableSchema DeclareOutliersTable() {
  ColumnsOf<OddStep> columns;
  columns.Count("index", "number of the step",
                [](const OddStep& row) { return row.row->index; });
  columns.Count("pid", "process", &OddStep::pid);
  columns.Moment("start_ns", "when it began",
                 [](const OddStep& row) { return row.row->start_ns; });
  columns.Time("dur_ns", "how long it took",
               [](const OddStep& row) { return row.row->dur_ns; });
  columns.Time("median_ns", "the median step of the process",
               [](const OddStep& row) { return row.row->median_ns; });
  columns
      .Time("excess_ns", "what it took more than that",
            [](const OddStep& row) { return row.row->excess_ns; })
      .As("More than the median");
  columns.Text("cause", "the part of the waterfall that grew most",
               [](const OddStep& row) { return StepPartName(row.row->cause); });
  columns
      .Time("cause_excess_ns", "by how much that part grew",
            [](const OddStep& row) { return row.row->cause_excess_ns; })
      .As("Growth of the cause");
  return {.key = "outliers",
          .title = "Outliers",
          .meaning = "which steps were odd, and why?",
          .view = kOutlierView,
          .json_views = kOutlierView,
          .ranked = true,
          .columns = columns.Take(),
          .rows = OddSteps};
}

}  // namespace stepscope
