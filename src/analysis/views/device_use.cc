// SPDX-License-Identifier: Apache-2.0
//
// How each device was used: utilisation, occupancy, tensor cores. What kernels
// do not state is left out of a mean, and how much of the time that is, is
// said.
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/kernel_use.h"
#include "analysis/kinds.h"
#include "analysis/name_class.h"
#include "analysis/stats.h"
#include "analysis/tables/device.h"
#include "analysis/views/device_properties.h"
#include "analysis/views/view_table.h"

namespace stepscope {
namespace {

struct UseRow {
  std::string device;
  DeviceProperties properties;
  std::optional<double> utilization;
  int64_t kernel_ns = 0;  // plain sum
  int64_t tensor_ns = 0;
  bool tensor_known = true;  // all names say it
  int64_t known_ns = 0;      // of the kernels that state an occupancy
  KernelUse use;

  std::optional<double> OfKernels(int64_t part) const {
    if (kernel_ns == 0) return std::nullopt;
    return Ratio(part, kernel_ns);
  }
  std::optional<double> efficiency() const {
    const auto unfilled = use.unfilled();
    if (!unfilled || !utilization) return std::nullopt;
    return *utilization * (1 - *unfilled);
  }
};

// In the order of ComputeDevices().
std::map<DeviceOrder, UseRow> UseOfDevices(const EventTree& tree) {
  const Trace& trace = tree.trace();
  std::map<DeviceOrder, UseRow> devices;
  NameClasses names(trace.strings());
  KernelUseReader reader(trace);
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kStream ||
        (tree.census().types(i) & kDeviceWorkTypes) == 0)
      continue;
    UseRow& device = devices[DeviceOrder(trace.str(track.device_type),
                                         track.device, track.process)];
    for (Row row = track.first; row < track.last; ++row) {
      if (trace.type()[row] != STEPSCOPE_KERNEL) continue;
      const int64_t dur = trace.dur_ns()[row];
      device.kernel_ns = SaturatingAdd(device.kernel_ns, dur);
      if (names.tensor_core_kernel(trace.name()[row]))
        device.tensor_ns = SaturatingAdd(device.tensor_ns, dur);
      else if (device.tensor_known)
        device.tensor_known =
            !IsTensorCoreUnknown(trace.str(trace.name()[row]));
      if (!reader.any()) continue;
      const KernelUseSample sample = reader.Read(row);
      if (sample.occupancy)
        device.known_ns = SaturatingAdd(device.known_ns, dur);
      device.use.Add(sample, dur);
    }
  }
  return devices;
}

std::vector<UseRow> ComputeDeviceUse(const ViewInput& input) {
  const Trace& trace = input.tree.trace();
  std::vector<UseRow> rows;
  const std::vector<DeviceRow> busy = ComputeDevices(input.tree, input.steps);
  constexpr size_t kProcessors = 2;  // rows of the CPU, which come first
  for (auto& [key, row] : UseOfDevices(input.tree)) {
    const DeviceRow& same = busy[kProcessors + rows.size()];
    row.device = same.name;
    row.utilization = same.utilization;
    row.properties =
        FindDeviceProperties(trace, trace.processes()[std::get<2>(key)],
                             std::get<0>(key), std::get<1>(key));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<std::string_view> IfStated(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace

ViewTable DeclareDeviceUseViewTable() {
  ColumnsOf<UseRow> columns;
  columns.Text("device", "GPU0, MLU1", &UseRow::device);
  columns.Text("name", "what the device is called",
               [](const UseRow& row) { return IfStated(row.properties.name); });
  columns.Ratio("utilization",
                "kernels within the steps, over the time of the steps",
                &UseRow::utilization);
  columns.Ratio("sm_efficiency",
                "utilisation, less the multiprocessors that had no block",
                &UseRow::efficiency);
  columns.Ratio("occupancy",
                "mean share of the warps that a multiprocessor can hold, over "
                "the kernels that state it",
                [](const UseRow& row) { return row.use.occupancy(); });
  columns
      .Ratio("occupancy_known",
             "share of kernel time whose occupancy is stated",
             [](const UseRow& row) { return row.OfKernels(row.known_ns); })
      .As("Occupancy known for");
  columns
      .Ratio("tensor_core",
             "share of kernel time on tensor cores, by names of kernels; empty "
             "where these do not say it, as those of AMD",
             [](const UseRow& row) {
               return row.tensor_known ? row.OfKernels(row.tensor_ns)
                                       : std::nullopt;
             })
      .As("Tensor-core time");
  columns
      .Time("kernel_ns", Adds::kSum, "time of all kernels", &UseRow::kernel_ns)
      .As("Kernel time");
  columns.Count(
      "multiprocessors", "multiprocessors of the device",
      [](const UseRow& row) { return row.properties.multiprocessors; });
  columns
      .Text(
          "capability", "compute capability",
          [](const UseRow& row) { return IfStated(row.properties.capability); })
      .As("Compute capability");
  columns
      .Bytes("memory_bytes", Adds::kNothing, "memory of the device",
             [](const UseRow& row) { return row.properties.memory_bytes; })
      .As("Memory");
  return {.key = "device_use",
          .title = "Use of devices",
          .meaning = "how well were the devices used?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(ComputeDeviceUse(input));
          }};
}

}  // namespace stepscope
