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

// Calls of each type, and in how many threads or streams it occurs.
struct TypeCounts {
  std::array<uint64_t, kTypes + 1> calls{};
  std::array<uint32_t, kTypes + 1> runs{};

  void Add(const std::array<uint64_t, kTypes + 1>& run) {
    for (size_t i = 0; i <= kTypes; ++i) {
      calls[i] += run[i];
      runs[i] += run[i] > 0;
    }
  }
};

size_t Slot(uint16_t type) { return std::min(type, kTypes); }

std::string TypeLabel(size_t type) {
  if (type == kTypes) return "Type 64 and above";
  const std::string_view name = EventTypeName(static_cast<uint16_t>(type));
  return name.empty() ? "Type " + std::to_string(type) : std::string(name);
}

// What occurs in one run only comes sorted, and no interval has to be kept.
std::vector<BusyTime> MakeTimes(const TypeCounts& counts) {
  std::vector<BusyTime> times;
  for (size_t i = 0; i <= kTypes; ++i) times.emplace_back(counts.runs[i] <= 1);
  return times;
}

OverviewRow MakeRow(std::string type, uint64_t calls, int64_t time_ns,
                    const StepTable& steps) {
  return {std::move(type), calls, time_ns, Ratio(time_ns, steps.total_ns())};
}

std::vector<OverviewRow> HostRows(const EventTree& tree,
                                  const StepTable& steps,
                                  const Distribution& distribution) {
  const Trace& trace = tree.trace();
  const auto type = trace.type();
  TypeCounts counts;
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kThread) continue;
    std::array<uint64_t, kTypes + 1> run{};
    for (Row row = track.first; row < track.last; ++row) ++run[Slot(type[row])];
    counts.Add(run);
  }
  std::vector<BusyTime> times = MakeTimes(counts);
  for (size_t i = 0; i < tree.threads().size(); ++i) {
    tree.threads().ForEachRow(i, [&](Row row) {
      times[Slot(type[row])].Add(trace.start_ns()[row], tree.end_ns(row));
    });
  }
  std::array<uint64_t, kTypes + 1> stages{};
  for (const StepSpan& stage : steps.stages()) ++stages[stage.type];
  std::vector<OverviewRow> rows;
  for (size_t i = 0; i <= kTypes; ++i) {
    if (counts.calls[i] == 0 || i == STEPSCOPE_COMMUNICATION) continue;
    const uint64_t calls = stages[i] > 0 ? stages[i] : counts.calls[i];
    rows.push_back(MakeRow(TypeLabel(i), calls, times[i].Finish(), steps));
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

std::vector<OverviewRow> DeviceRows(const EventTree& tree,
                                    const StepTable& steps,
                                    const Distribution& distribution) {
  const Trace& trace = tree.trace();
  std::vector<OverviewRow> rows;
  uint64_t kernels = 0;
  std::array<uint64_t, 2> calls{};  // Memcpy, Memset
  std::array<BusyTime, 2> times;
  for (const DeviceWork& work : tree.work()) {
    const uint16_t type = trace.type()[work.row];
    if (type == STEPSCOPE_KERNEL) {
      ++kernels;
      continue;
    }
    const size_t kind = type == STEPSCOPE_MEMCPY ? 0 : 1;
    ++calls[kind];
    times[kind].Add(trace.start_ns()[work.row], tree.end_ns(work.row));
  }
  const auto add = [&](uint16_t type, uint64_t count, int64_t time_ns) {
    if (count == 0) return;
    rows.push_back(MakeRow(TypeLabel(type), count, time_ns, steps));
  };
  add(STEPSCOPE_KERNEL, kernels, distribution.kernel_ns);
  add(STEPSCOPE_MEMCPY, calls[0], times[0].Finish());
  add(STEPSCOPE_MEMSET, calls[1], times[1].Finish());
  add(STEPSCOPE_COMMUNICATION, distribution.gpu_calls, distribution.gpu_ns);
  return rows;
}

}  // namespace

Overview ComputeOverview(const EventTree& tree, const StepTable& steps,
                         const Distribution& distribution) {
  return {HostRows(tree, steps, distribution),
          DeviceRows(tree, steps, distribution)};
}

}  // namespace stepscope
