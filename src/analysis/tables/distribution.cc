// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/distribution.h"

#include <algorithm>
#include <optional>

#include "analysis/kinds.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"

namespace stepscope {
namespace {

// The common case: one machine, no communication. Streams are sorted, so with
// one of them nothing has to be kept.
BusyPair KernelBusyTime(const EventTree& tree,
                        std::span<const Interval> steps) {
  const Trace& trace = tree.trace();
  uint32_t streams = 0;
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    streams += trace.tracks()[i].kind == TrackKind::kStream &&
               (tree.census().types(i) & SetOf(STEPSCOPE_KERNEL)) != 0;
  }
  StepBusy in_order(steps);
  IntervalCollector any_order;
  for (const DeviceWork& work : tree.work()) {
    if (trace.type()[work.row] != STEPSCOPE_KERNEL) continue;
    const int64_t start = trace.start_ns()[work.row];
    if (streams <= 1)
      in_order.Add(start, tree.end_ns(work.row));
    else
      any_order.Add(start, tree.end_ns(work.row));
  }
  if (streams <= 1) return in_order.total();
  return BusyPair::Of(any_order.Finish(), steps);
}

}  // namespace

Distribution ComputeDistribution(const EventTree& tree, const StepTable& steps,
                                 const Communication& communication) {
  const Trace& trace = tree.trace();
  const auto type = trace.type();
  const std::span<const Interval> in = steps.all_steps();
  Distribution result;
  result.host_calls = communication.host_calls();
  if (!communication.any_kernel()) {
    result.kernel = KernelBusyTime(tree, in);
    result.computation_ns = result.kernel.all_ns;
    result.in_steps.computation_ns = result.kernel.in_steps_ns;
    return result;
  }

  IntervalCollector host;
  for (const IntervalSet& thread : communication.by_thread())
    for (const Interval& part : thread) host.Add(part.begin, part.end);
  IntervalCollector communicating;
  IntervalCollector computing;
  for (const DeviceWork& work : tree.work()) {
    if (type[work.row] != STEPSCOPE_KERNEL) continue;
    const bool communicates = communication.IsKernel(work);
    if (communicates) ++result.gpu_calls;
    (communicates ? communicating : computing)
        .Add(trace.start_ns()[work.row], tree.end_ns(work.row));
  }
  const IntervalSet host_set = host.Finish();
  const IntervalSet gpu_set = communicating.Finish();
  const IntervalSet compute_set = computing.Finish();
  const IntervalSet both = Union(host_set, gpu_set);
  const IntervalSet overlap = Intersection(both, compute_set);
  result.host = BusyPair::Of(host_set, in);
  result.gpu = BusyPair::Of(gpu_set, in);
  result.kernel = BusyPair::Of(Union(gpu_set, compute_set), in);
  result.communication_ns = TotalLength(both);
  result.computation_ns = TotalLength(compute_set);
  result.overlap_ns = TotalLength(overlap);
  result.gpu_overlap_ns = TotalLength(Intersection(gpu_set, compute_set));
  result.in_steps = {OverlapLength(both, in), OverlapLength(compute_set, in),
                     OverlapLength(overlap, in)};
  return result;
}

namespace {

struct DistributionRow {
  int64_t step_ns = 0;
  int64_t communication_ns = 0;
  int64_t computation_ns = 0;
  int64_t overlap_ns = 0;
  int64_t device_communication_ns = 0;
  int64_t device_overlap_ns = 0;

  // Nothing where there is no communication to hide.
  static std::optional<double> Hidden(int64_t overlap, int64_t of) {
    if (of == 0) return std::nullopt;
    return Ratio(overlap, of);
  }
  std::optional<double> overlap_ratio() const {
    return Hidden(overlap_ns, communication_ns);
  }
  std::optional<double> device_overlap_ratio() const {
    return Hidden(device_overlap_ns, device_communication_ns);
  }
};

}  // namespace

TableSchema DeclareDistributionTable() {
  ColumnsOf<DistributionRow> columns;
  columns
      .Time("step_ns", Adds::kUnion,
            "the total time: all steps, or the recorded window",
            &DistributionRow::step_ns)
      .As("All steps");
  columns.Time("communication_ns", Adds::kUnion,
               "host events and kernels that communicate",
               &DistributionRow::communication_ns);
  columns.Time("computation_ns", Adds::kUnion, "all other kernels",
               &DistributionRow::computation_ns);
  columns.Time("overlap_ns", Adds::kUnion, "when both went on",
               &DistributionRow::overlap_ns);
  columns.Ratio("overlap_ratio", "overlap as a share of communication",
                &DistributionRow::overlap_ratio);
  columns
      .Time("device_communication_ns", Adds::kUnion, "kernels that communicate",
            &DistributionRow::device_communication_ns)
      .As("Communication on devices");
  columns
      .Time("device_overlap_ns", Adds::kUnion,
            "when these and other kernels went on",
            &DistributionRow::device_overlap_ns)
      .As("Overlap on devices");
  columns
      .Ratio("device_overlap_ratio",
             "device overlap as a share of device communication",
             &DistributionRow::device_overlap_ratio)
      .As("Overlap share on devices");
  return {.key = "distribution",
          .paddle_name = "DistributedView",
          .title = "Distribution",
          .meaning = "is communication hidden behind computation?",
          .view = kDistributedView,
          .json_views = kDistributedView,
          .shape = TableShape::kOne,
          .columns = columns.Take(),
          .rows =
              [](const Summary& s) {
                const Distribution& of = s.distribution;
                return RowList::Own(std::vector<DistributionRow>{
                    {s.total_ns, of.communication_ns, of.computation_ns,
                     of.overlap_ns, of.gpu.all_ns, of.gpu_overlap_ns}});
              },
          .nothing = [](const Summary& s) { return !s.distribution.any(); }};
}

}  // namespace stepscope
