// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/device.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "analysis/kinds.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "analysis/tables/counter_columns.h"
#include "base/text.h"

namespace stepscope {
namespace {

std::optional<double> IfKnown(double value) {
  if (value < 0) return std::nullopt;
  return value;
}

// Devices of different processes are told apart only where their names clash.
std::string ProcessLabel(const Process& process) {
  return process.rank >= 0
             ? Format("rank %lld ", static_cast<long long>(process.rank))
             : Format("pid %lld ", static_cast<long long>(process.pid));
}

// When a process was looked at, and when its last step ended on the host.
struct ProcessTime {
  IntervalSet window;
  int64_t last_step_end = INT64_MAX;
};

// From the first step of a run until all was done with the last one. Runs that
// are apart (something else was in between) are apart. Nothing counts
// before `from`: of chosen steps, the device may turn to the first one late. So
// are runs between which a device's work was left out.
IntervalSet RunsOf(std::span<const StepInterval> steps, int64_t from) {
  IntervalCollector runs;
  int64_t begin = 0;
  int64_t end = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].device_left_out) continue;
    if (i == 0 || steps[i - 1].device_left_out ||
        !FollowsOn(steps[i - 1], steps[i])) {
      runs.Add(begin, end);
      begin = std::max(steps[i].range.begin, from);
      end = begin;
    }
    end = std::max(end, steps[i].last_end());
  }
  runs.Add(begin, end);
  return runs.Finish();
}

std::vector<ProcessTime> TimesOf(const EventTree& tree,
                                 const StepTable& steps) {
  std::vector<ProcessTime> times(tree.trace().processes().size());
  IntervalCollector all;
  // By thread: TensorFlow gives each device steps of its own.
  for (uint32_t i = 0; i < tree.threads().size(); ++i) {
    const auto of_thread = steps.steps_of(i);
    if (of_thread.empty()) continue;
    ProcessTime& time = times[tree.threads()[i].process];
    const IntervalSet runs = RunsOf(of_thread, steps.window().begin);
    for (const Interval& run : runs) all.Add(run.begin, run.end);
    const bool is_first = time.last_step_end == INT64_MAX;
    if (is_first) time.last_step_end = INT64_MIN;
    time.window = Union(time.window, runs);
    for (const StepInterval& step : of_thread)
      time.last_step_end = std::max(time.last_step_end, step.range.end);
  }
  IntervalSet window = all.Finish();
  const bool left_out = std::ranges::any_of(
      steps.steps(), [](const auto& step) { return step.device_left_out; });
  if (window.empty() && !left_out) {
    // No steps: what was recorded, and all that a device did.
    Interval hull = steps.window();
    for (const DeviceWork& work : tree.work()) {
      hull.begin = std::min(hull.begin, tree.trace().start_ns()[work.row]);
      hull.end = std::max(hull.end, tree.end_ns(work.row));
    }
    window = {hull};
  }
  // A process that does not step is measured by those that do.
  for (ProcessTime& time : times)
    if (time.window.empty() && (!left_out || time.last_step_end == INT64_MAX))
      time.window = window;
  return times;
}

struct Device {
  uint32_t streams = 0;
  BusyTime kernels;
  BusyTime after;
};

void AddKernels(const EventTree& tree, const Track& track,
                const ProcessTime& time, Device& device) {
  const Trace& trace = tree.trace();
  const int64_t last_end = time.last_step_end;
  for (Row row = track.first; row < track.last; ++row) {
    if (trace.type()[row] != STEPSCOPE_KERNEL) continue;
    const int64_t start = trace.start_ns()[row];
    const int64_t end = tree.end_ns(row);
    for (const Interval& run : time.window)
      device.kernels.Add(std::max(start, run.begin), std::min(end, run.end));
    if (end <= last_end) continue;
    device.after.Add(std::max(start, last_end), end);
  }
}

}  // namespace

std::vector<DeviceUse> FindDeviceUse(const EventTree& tree,
                                     const StepTable& steps) {
  const Trace& trace = tree.trace();
  std::map<DeviceOrder, Device> devices;
  const auto key_of = [&](const Track& track) {
    return DeviceOrder(trace.str(track.device_type), track.device,
                       track.process);
  };
  const auto each = [&](auto visit) {
    for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
      if (trace.tracks()[i].kind == TrackKind::kStream &&
          (tree.census().types(i) & kDeviceWorkTypes) != 0) {
        visit(trace.tracks()[i]);
      }
    }
  };
  each([&](const Track& track) { ++devices[key_of(track)].streams; });
  if (devices.empty()) return {};
  const std::vector<ProcessTime> times = TimesOf(tree, steps);
  for (auto& [key, device] : devices) {
    // One stream, and no window that begins before the last one ends.
    const bool one_run =
        device.streams == 1 && times[std::get<2>(key)].window.size() == 1;
    device.kernels = BusyTime(one_run);
    device.after = BusyTime(one_run);
  }
  each([&](const Track& track) {
    AddKernels(tree, track, times[track.process], devices[key_of(track)]);
  });
  std::vector<DeviceUse> found;
  for (auto& [key, device] : devices) {
    const auto& [kind, id, process] = key;
    const ProcessTime& time = times[process];
    found.push_back({std::string(kind), id, process, device.kernels.Finish(),
                     device.after.Finish(), TotalLength(time.window),
                     time.last_step_end != INT64_MAX});
  }
  return found;
}

std::vector<DeviceRow> DeviceRows(const Trace& trace,
                                  const std::vector<DeviceUse>& devices) {
  std::vector<DeviceRow> rows;
  rows.push_back({"CPU(Process)", IfKnown(trace.cpu_usage().process), {}, {}});
  rows.push_back({"CPU(System)", IfKnown(trace.cpu_usage().system), {}, {}});
  std::map<std::string, int> uses;
  const auto name_of = [](const DeviceUse& device) {
    return (device.kind.empty() ? "GPU" : device.kind) +
           std::to_string(device.id);
  };
  for (const DeviceUse& device : devices) ++uses[name_of(device)];
  for (const DeviceUse& device : devices) {
    DeviceRow row;
    row.name = name_of(device);
    if (uses[row.name] > 1)
      row.name = ProcessLabel(trace.processes()[device.process]) + row.name;
    // Else its work was left out of all steps.
    const bool known = device.window_ns > 0;
    if (known) row.busy_ns = device.busy_ns;
    row.after_ns = device.after_ns;
    row.process = device.process;
    row.id = device.id;
    if (known) row.utilization = Ratio(device.busy_ns, device.window_ns);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<DeviceRow> ComputeDevices(const EventTree& tree,
                                      const StepTable& steps) {
  return DeviceRows(tree.trace(), FindDeviceUse(tree, steps));
}

TableSchema DeclareDeviceTable() {
  ColumnsOf<DeviceRow> columns;
  columns.Text("name", "CPU(Process), CPU(System), or a device: GPU0, MLU1",
               &DeviceRow::name);
  columns.Ratio("utilization",
                "busy time within the steps, until host and device are done "
                "with the last one, over that time; empty if not recorded",
                &DeviceRow::utilization);
  columns
      .Time("busy_ns", Adds::kUnion, "devices: kernels within that time",
            &DeviceRow::busy_ns)
      .As("Busy time");
  columns
      .Time("after_last_step_ns", Adds::kUnion,
            "kernels after the last step had ended on the host",
            &DeviceRow::after_ns)
      .As("After the last step");
  AddCounters(columns, [](const DeviceRow& row) { return row.measured; });
  return {.key = "device",
          .paddle_name = "DeviceView",
          .title = "Device",
          .meaning = "how busy were the processors?",
          .view = kDeviceView,
          .json_views = kDeviceView,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.device); }};
}

}  // namespace stepscope
