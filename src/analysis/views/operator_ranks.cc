// SPDX-License-Identifier: Apache-2.0
//
// Operators by name and rank of a job. Calls and times of all ranks are those
// of the Operator table.
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/stats.h"
#include "analysis/tables/common_columns.h"
#include "analysis/tables/operator.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

struct RankOperator {
  int64_t rank = 0;
  OperatorRow row;
};

void AddTime(const TimeColumn& from, TimeColumn& to) {
  to.total_ns = SaturatingAdd(to.total_ns, from.total_ns);
  to.max_ns = std::max(to.max_ns, from.max_ns);
  to.min_ns = std::min(to.min_ns, from.min_ns);
}

// Of threads of processes that state a rank, where there are several ranks.
std::vector<RankOperator> OperatorsByRank(const EventTree& tree) {
  struct Whole {
    int64_t cpu_ns = 0;
    int64_t gpu_ns = 0;
  };
  std::map<std::pair<int64_t, uint32_t>, OperatorRow> rows;
  std::map<int64_t, Whole> wholes;
  for (const OperatorGroup& group :
       ComputeOperators(tree, {.per_thread = true, .detail = false})) {
    if (group.unknown_thread) continue;
    const int64_t rank = tree.trace().processes()[group.process].rank;
    if (rank < 0) continue;
    Whole& whole = wholes[rank];
    whole.cpu_ns = SaturatingAdd(whole.cpu_ns, group.outermost_cpu_ns);
    whole.gpu_ns = SaturatingAdd(whole.gpu_ns, group.outermost_gpu_ns);
    for (const OperatorRow& row : group.rows) {
      const auto [found, fresh] = rows.try_emplace({rank, row.id.v}, row);
      if (fresh) continue;
      OperatorRow& sum = found->second;
      sum.calls += row.calls;
      sum.nested_calls += row.nested_calls;
      sum.self_cpu_ns = SaturatingAdd(sum.self_cpu_ns, row.self_cpu_ns);
      sum.self_gpu_ns = SaturatingAdd(sum.self_gpu_ns, row.self_gpu_ns);
      AddTime(row.cpu, sum.cpu);
      AddTime(row.gpu, sum.gpu);
    }
  }
  if (wholes.size() < 2) return {};
  std::vector<RankOperator> list;
  for (auto& [key, row] : rows) {
    Whole& whole = wholes[key.first];
    // As in the Operator table: what overlaps may be more than what is around.
    row.cpu.ratio =
        Ratio(row.cpu.total_ns, std::max(whole.cpu_ns, row.cpu.total_ns));
    row.gpu.ratio =
        Ratio(row.gpu.total_ns, std::max(whole.gpu_ns, row.gpu.total_ns));
    list.push_back({key.first, std::move(row)});
  }
  return list;
}

}  // namespace

ViewTable DeclareOperatorRanksViewTable() {
  ColumnsOf<RankOperator> columns;
  columns.Text("name", "name of the operator",
               [](const RankOperator& of) { return of.row.name; });
  columns.Count("rank", "rank of the process", &RankOperator::rank);
  const auto calls = [](const RankOperator& of) { return of.row.calls; };
  columns.Count("calls", "calls on that rank, outermost ones", calls);
  columns.Time("self_cpu_ns", Adds::kSum,
               "time of the calls without the events inside",
               [](const RankOperator& of) { return of.row.self_cpu_ns; });
  AddTimes(
      columns, "cpu",
      {"time of the calls", "all outermost operators of the rank"},
      [](const RankOperator& of) { return of.row.cpu; }, calls);
  AddTimes(
      columns, "gpu",
      {"device work launched inside", "all outermost operators of the rank"},
      [](const RankOperator& of) { return of.row.gpu; }, calls);
  return {.key = "operator_ranks",
          .title = "Operators by rank",
          .meaning = "on which rank does an operator take its time?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(OperatorsByRank(input.tree));
          }};
}

}  // namespace stepscope
