// SPDX-License-Identifier: Apache-2.0
#include "report/screen_rows.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/stable_sort.h"

namespace stepscope {
namespace {

class HostRowSums {
 public:
  template <typename Row>
  void Add(std::string_view name, const Row& row) {
    const auto [known, is_new] = index_.try_emplace(name, work_.rows.size());
    if (is_new) work_.rows.emplace_back().name = name;
    HostRow& sum = work_.rows[known->second];
    AddColumn(row.cpu, is_new, sum.cpu);
    AddColumn(row.gpu, is_new, sum.gpu);
    sum.calls += row.calls;
    sum.self_cpu_ns = SaturatingAdd(sum.self_cpu_ns, row.self_cpu_ns);
    work_.self_ns = SaturatingAdd(work_.self_ns, row.self_cpu_ns);
  }

  HostWork Sorted(SortKey sort) {
    StableSort(work_.rows.begin(), work_.rows.end(),
               [&](const HostRow& a, const HostRow& b) {
                 return ComesBefore(a, b, sort);
               });
    return std::move(work_);
  }

 private:
  static void AddColumn(const TimeColumn& from, bool is_new, TimeColumn& to) {
    to.total_ns = SaturatingAdd(to.total_ns, from.total_ns);
    to.max_ns = std::max(to.max_ns, from.max_ns);
    to.min_ns = is_new ? from.min_ns : std::min(to.min_ns, from.min_ns);
  }

  HostWork work_;
  std::unordered_map<std::string_view, size_t> index_;
};

}  // namespace

HostWorkOfJob CollectHostWork(const Summary& summary, SortKey sort) {
  std::set<uint32_t> stepping;
  for (const StepParts& step : summary.waterfall.steps)
    stepping.insert(step.process);
  std::set<uint32_t> workers;
  HostRowSums of_steps;
  HostRowSums of_workers;
  const auto sums_of = [&](uint32_t process) -> HostRowSums& {
    if (!summary.has_steps || stepping.contains(process)) return of_steps;
    workers.insert(process);
    return of_workers;
  };
  for (const OperatorGroup& group : summary.operators) {
    for (const OperatorRow& row : group.rows)
      if (!row.no_launch) sums_of(group.process).Add(row.name, row);
  }
  for (const ThreadRows& group : summary.user_defined)
    for (const NamedRow& row : group.rows)
      sums_of(group.process).Add(row.name, row);
  HostWorkOfJob job{of_steps.Sorted(sort), of_workers.Sorted(sort),
                    workers.size()};
  if (!job.steps.rows.empty()) return job;
  HostRowSums functions;
  for (const PythonRow& row : summary.python) functions.Add(row.event, row);
  job.steps = functions.Sorted(sort);
  return job;
}

}  // namespace stepscope
