// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/overview.h"

#include <algorithm>
#include <array>

#include "analysis/kinds.h"
#include "analysis/stats.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

// Types are small numbers; what a damaged file makes of them shares one row.
constexpr uint16_t kTypes = 64;

struct TypeTime {
  uint64_t calls = 0;
  IntervalCollector busy;
};
using TypeTimes = std::array<TypeTime, kTypes + 1>;

std::string TypeLabel(size_t type) {
  if (type == kTypes) return "Type 64 and above";
  const std::string_view name = EventTypeName(static_cast<uint16_t>(type));
  return name.empty() ? "Type " + std::to_string(type) : std::string(name);
}

void AddEvent(const EventTree& tree, Row row, TypeTimes& times) {
  const Trace& trace = tree.trace();
  TypeTime& time = times[std::min(trace.type()[row], kTypes)];
  ++time.calls;
  time.busy.Add(trace.start_ns()[row], tree.end_ns(row));
}

OverviewRow MakeRow(std::string type, uint64_t calls, int64_t time_ns,
                    const StepTable& steps) {
  return {std::move(type), calls, time_ns, Ratio(time_ns, steps.total_ns())};
}

std::vector<OverviewRow> HostRows(const EventTree& tree,
                                  const StepTable& steps,
                                  const Distribution& distribution) {
  TypeTimes times;
  for (size_t i = 0; i < tree.threads().size(); ++i) {
    tree.threads().ForEachRow(i, [&](Row row) { AddEvent(tree, row, times); });
  }
  std::array<uint64_t, kTypes + 1> stages{};
  for (const StepSpan& stage : steps.stages()) ++stages[stage.type];
  std::vector<OverviewRow> rows;
  for (size_t type = 0; type <= kTypes; ++type) {
    if (times[type].calls == 0 || type == STEPSCOPE_COMMUNICATION) continue;
    const uint64_t calls = stages[type] > 0 ? stages[type] : times[type].calls;
    rows.push_back(MakeRow(TypeLabel(type), calls,
                           TotalLength(times[type].busy.Finish()), steps));
  }
  if (distribution.host_calls > 0) {
    rows.push_back(MakeRow(TypeLabel(STEPSCOPE_COMMUNICATION),
                           distribution.host_calls, distribution.host_ns,
                           steps));
  }
  const std::string_view step = EventTypeName(STEPSCOPE_PROFILE_STEP);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const OverviewRow& a, const OverviewRow& b) {
                     if ((a.type == step) != (b.type == step))
                       return a.type == step;
                     return a.time_ns > b.time_ns;
                   });
  return rows;
}

}  // namespace

Overview ComputeOverview(const EventTree& tree, const StepTable& steps,
                         const Distribution& distribution) {
  Overview result;
  result.cpu = HostRows(tree, steps, distribution);
  TypeTimes times;
  for (const DeviceWork& work : tree.work()) AddEvent(tree, work.row, times);
  for (size_t type = 0; type <= kTypes; ++type) {
    if (times[type].calls == 0) continue;
    result.gpu.push_back(MakeRow(TypeLabel(type), times[type].calls,
                                 TotalLength(times[type].busy.Finish()),
                                 steps));
  }
  if (distribution.gpu_calls > 0) {
    result.gpu.push_back(MakeRow(TypeLabel(STEPSCOPE_COMMUNICATION),
                                 distribution.gpu_calls, distribution.gpu_ns,
                                 steps));
  }
  return result;
}

}  // namespace stepscope
