// SPDX-License-Identifier: Apache-2.0
//
// The Distribution table as parts that do not overlap: what only computes, both
// at once, what only communicates, and neither, as far as it lies in the steps.
// They add up to these.
#include <vector>

#include "analysis/looks.h"
#include "analysis/stats.h"
#include "analysis/tables/distribution.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

struct OverlapRow {
  std::string_view part;
  int64_t time_ns = 0;
  double ratio = 0;
};

std::vector<OverlapRow> ComputeOverlapParts(const ViewInput& input) {
  NameClasses names(input.tree.trace().strings());
  const Communication communication(input.tree, names);
  const Distribution::InSteps of =
      ComputeDistribution(input.tree, input.steps, communication).in_steps;
  const int64_t computes = SaturatingSubtract(of.computation_ns, of.overlap_ns);
  const int64_t communicates =
      SaturatingSubtract(of.communication_ns, of.overlap_ns);
  const int64_t any =
      SaturatingAdd(SaturatingAdd(computes, communicates), of.overlap_ns);
  const int64_t whole = input.steps.total_ns();
  if (whole == 0) return {};
  std::vector<OverlapRow> rows = {
      {kOverlapLooks[0].name, computes},
      {kOverlapLooks[1].name, of.overlap_ns},
      {kOverlapLooks[2].name, communicates},
      {kOverlapLooks[3].name, SaturatingSubtract(whole, any)}};
  for (OverlapRow& row : rows) row.ratio = Ratio(row.time_ns, whole);
  return rows;
}

}  // namespace

ViewTable DeclareOverlapPartsViewTable() {
  ColumnsOf<OverlapRow> columns;
  columns.Text("part", "what went on", &OverlapRow::part);
  columns.Time("time_ns", Adds::kUnion, "for how long, in all steps",
               &OverlapRow::time_ns);
  columns.Ratio("ratio", "time as a share of the steps", &OverlapRow::ratio);
  return {.key = "overlap_parts",
          .title = "Communication beside computation",
          .meaning = "how much communication has nothing to hide behind?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(ComputeOverlapParts(input));
          }};
}

}  // namespace stepscope
