// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/device.h"

#include <map>
#include <tuple>

#include "analysis/kinds.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
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

}  // namespace

std::vector<DeviceRow> ComputeDevices(const EventTree& tree,
                                      const StepTable& steps) {
  const Trace& trace = tree.trace();
  std::vector<DeviceRow> rows;
  rows.push_back({"CPU(Process)", IfKnown(trace.cpu_usage().process), 0});
  rows.push_back({"CPU(System)", IfKnown(trace.cpu_usage().system), 0});

  using Key = std::tuple<std::string_view, int64_t, uint32_t>;
  struct Device {
    uint32_t streams = 0;
    BusyTime kernels;
  };
  std::map<Key, Device> devices;
  std::map<std::string, int> uses;
  const auto type = trace.type();
  const auto key_of = [&](const Track& track) {
    return Key(trace.str(track.device_type), track.device, track.process);
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
  for (auto& [key, device] : devices) {
    device.kernels = BusyTime(device.streams == 1);
  }
  each([&](const Track& track) {
    BusyTime& kernels = devices[key_of(track)].kernels;
    for (Row row = track.first; row < track.last; ++row) {
      if (type[row] != STEPSCOPE_KERNEL) continue;
      kernels.Add(trace.start_ns()[row], tree.end_ns(row));
    }
  });
  const auto name_of = [](const Key& key) {
    const std::string kind(std::get<0>(key));
    return (kind.empty() ? "GPU" : kind) + std::to_string(std::get<1>(key));
  };
  for (const auto& [key, device] : devices) ++uses[name_of(key)];
  for (auto& [key, device] : devices) {
    DeviceRow row;
    row.name = name_of(key);
    if (uses[row.name] > 1) {
      row.name = ProcessLabel(trace.processes()[std::get<2>(key)]) + row.name;
    }
    row.busy_ns = device.kernels.Finish();
    row.utilization = Ratio(row.busy_ns, steps.total_ns());
    rows.push_back(std::move(row));
  }
  return rows;
}

TableSchema DeclareDeviceTable() {
  ColumnsOf<DeviceRow> columns;
  columns.Text("name", "CPU(Process), CPU(System), or a device: GPU0, MLU1",
               &DeviceRow::name);
  columns.Ratio("utilization",
                "busy time over the total time; empty if not recorded",
                &DeviceRow::utilization);
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
