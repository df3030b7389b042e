// SPDX-License-Identifier: Apache-2.0
#include "analysis/partial/rows.h"

#include <algorithm>
#include <utility>

#include "analysis/name_class.h"
#include "base/stable_sort.h"

namespace stepscope {

namespace {

// What shares of calls are of: see OperatorTable.
int64_t LargestCpu(const std::vector<NamedSum>& sums, int64_t at_least) {
  for (const NamedSum& sum : sums)
    at_least = std::max(at_least, sum.cpu.total_ns);
  return at_least;
}

}  // namespace

void InternNames(const std::vector<NamedSum>& sums, TraceBuilder& builder) {
  for (const NamedSum& sum : sums) {
    builder.Intern(sum.name);
    InternNames(sum.inner, builder);
    InternNames(sum.device, builder);
  }
}

std::string_view NamedRows::NameOf(const NamedSum& sum) const {
  return trace_.str(trace_.strings().Find(sum.name));
}

template <typename Row>
void NamedRows::Sort(std::vector<Row>& rows, SortKey key) const {
  StableSort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return ComesBefore(a, b, key);
  });
}

NamedRow NamedRows::MakeRow(const NamedSum& sum, int64_t window_ns,
                            int64_t gpu_ns) const {
  return {NameOf(sum),
          sum.calls,
          TimeColumn::Of(sum.cpu, sum.share, window_ns),
          TimeColumn::Of(sum.gpu, gpu_ns),
          sum.nested_calls,
          sum.self_cpu_ns,
          sum.share};
}

std::vector<OperatorDeviceRow> NamedRows::DeviceRows(
    const NamedSum& sum) const {
  std::vector<OperatorDeviceRow> rows;
  for (const NamedSum& one : sum.device)
    rows.push_back(
        {NameOf(one), one.calls, TimeColumn::Of(one.gpu, sum.gpu.total_ns)});
  return rows;
}

OperatorRow NamedRows::MakeOperator(const NamedSum& sum, int64_t cpu_ns,
                                    int64_t gpu_ns) const {
  OperatorRow row;
  SetName(sum.name, row);
  row.calls = sum.calls;
  row.nested_calls = sum.nested_calls;
  row.cpu = TimeColumn::Of(sum.cpu, cpu_ns);
  row.gpu = TimeColumn::Of(sum.gpu, gpu_ns);
  row.self_cpu_ns = sum.self_cpu_ns;
  row.self_gpu_ns = sum.self_gpu_ns;
  if (options_.chosen_views() & kPercentileView) {
    row.cpu_spread = sum.cpu_sketch.ToSpread();
    if (has_device_work_) row.gpu_spread = sum.gpu_sketch.ToSpread();
  }
  if (!options_.op_detail) return row;
  row.device = DeviceRows(sum);
  const int64_t inner_ns = LargestCpu(sum.inner, sum.cpu.total_ns);
  for (const NamedSum& one : sum.inner)
    row.inner.push_back({NameOf(one), one.calls,
                         TimeColumn::Of(one.cpu, inner_ns),
                         TimeColumn::Of(one.gpu, sum.gpu.total_ns),
                         DeviceRows(one), one.nested_calls});
  return row;
}

std::vector<OperatorGroup> NamedRows::Operators(
    const std::vector<NamedSum>& sums, const std::vector<NamedSum>& lost,
    int64_t outermost_cpu_ns, int64_t outermost_gpu_ns) const {
  if (sums.empty() && lost.empty()) return {};
  OperatorGroup group;
  group.outermost_cpu_ns = outermost_cpu_ns;
  group.outermost_gpu_ns = outermost_gpu_ns;
  int64_t gpu_ns = outermost_gpu_ns;
  for (const NamedSum& sum : lost)
    gpu_ns = SaturatingAdd(gpu_ns, sum.gpu.total_ns);
  const int64_t cpu_ns = LargestCpu(sums, outermost_cpu_ns);
  for (const NamedSum& sum : sums)
    group.rows.push_back(MakeOperator(sum, cpu_ns, gpu_ns));
  for (const NamedSum& sum : lost) {
    OperatorRow row = MakeOperator(sum, 0, gpu_ns);
    row.name = kNoLaunchName;
    row.id = {};
    row.no_launch = true;
    // Nobody called it.
    row.cpu_spread = row.gpu_spread = {};
    group.rows.push_back(std::move(row));
  }
  Sort(group.rows, options_.sort);
  return {std::move(group)};
}

std::vector<KernelRow> NamedRows::Kernels(
    const std::vector<NamedSum>& sums) const {
  int64_t all_ns = 0;
  for (const NamedSum& sum : sums)
    all_ns = SaturatingAdd(all_ns, sum.gpu.total_ns);
  std::vector<KernelRow> rows;
  for (const NamedSum& sum : sums) {
    KernelRow row;
    SetName(sum.name, row);
    row.calls = sum.calls;
    row.gpu = TimeColumn::Of(sum.gpu, all_ns);
    row.matrix = IsMatrixKernel(row.name);
    row.tensor_core = IsTensorCoreKernel(row.name);
    row.use = sum.use;
    row.occupancy = sum.use.occupancy();
    row.unfilled = sum.use.unfilled();
    if (options_.chosen_views() & kPercentileView)
      row.spread = sum.gpu_sketch.ToSpread();
    rows.push_back(std::move(row));
  }
  Sort(rows, std::max(options_.sort, SortKey::kGpuTotal));
  return rows;
}

std::vector<ThreadRows> NamedRows::UserDefined(
    const std::vector<NamedSum>& sums, int64_t window_ns,
    int64_t gpu_ns) const {
  if (sums.empty()) return {};
  ThreadRows group;
  for (const NamedSum& sum : sums) {
    RangeRow row{MakeRow(sum, window_ns, gpu_ns), {}, {}};
    if (options_.chosen_views() & kPercentileView) {
      row.cpu_spread = sum.cpu_sketch.ToSpread();
      if (has_device_work_) row.gpu_spread = sum.gpu_sketch.ToSpread();
    }
    group.rows.push_back(std::move(row));
  }
  Sort(group.rows, options_.sort);
  return {std::move(group)};
}

std::vector<NamedRow> NamedRows::Memory(const std::vector<NamedSum>& sums,
                                        int64_t window_ns, int64_t gpu_ns,
                                        bool of_device) const {
  std::vector<NamedRow> rows;
  for (const NamedSum& sum : sums)
    rows.push_back(MakeRow(sum, window_ns, gpu_ns));
  if (of_device) Sort(rows, SortKey::kGpuTotal);
  return rows;
}

std::vector<PythonRow> NamedRows::Python(const std::vector<NamedSum>& sums,
                                         int64_t window_ns) const {
  std::vector<PythonRow> rows;
  for (const NamedSum& sum : sums) {
    PythonRow row;
    row.event = NameOf(sum);
    row.name = ParsePythonName(row.event);
    row.calls = sum.calls;
    row.nested_calls = sum.nested_calls;
    row.cpu = TimeColumn::Of(sum.cpu, sum.share, window_ns);
    row.self_cpu_ns = sum.self_cpu_ns;
    row.share = sum.share;
    rows.push_back(row);
  }
  Sort(rows, options_.sort);
  return rows;
}

}  // namespace stepscope
