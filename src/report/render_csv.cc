// SPDX-License-Identifier: Apache-2.0
#include "report/render_csv.h"

#include <charconv>
#include <map>

namespace stepscope {
namespace {

constexpr std::string_view kColumns[] = {
    "table",        "thread",           "parent",     "name",
    "calls",        "time_ns",          "ratio",      "cpu_total_ns",
    "cpu_avg_ns",   "cpu_max_ns",       "cpu_min_ns", "cpu_ratio",
    "gpu_total_ns", "gpu_avg_ns",       "gpu_max_ns", "gpu_min_ns",
    "gpu_ratio",    "self_cpu_ns",      "self_gpu_ns", "allocation_count",
    "free_count",   "allocation_bytes", "free_bytes", "increase_bytes",
    "cpu_p50_ns",   "cpu_p90_ns",       "cpu_p99_ns", "gpu_p50_ns",
    "gpu_p90_ns",   "gpu_p99_ns",       "flops",      "tflops_per_s",
};

std::string Quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

// Shortest decimal that reads back as the same number.
std::string Decimal(double value) {
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, end};
}

class CsvTable {
 public:
  CsvTable() {
    for (const std::string_view column : kColumns) {
      if (!out_.empty()) out_ += ',';
      out_ += column;
    }
    out_ += '\n';
  }

  // Begins a row; its cells are set by column, in any order.
  CsvTable& Row(std::string_view table, std::string_view name) {
    Flush();
    cells_["table"] = table;
    cells_["name"] = Quoted(name);
    return *this;
  }
  CsvTable& Text(std::string_view column, std::string_view text) {
    cells_[column] = Quoted(text);
    return *this;
  }
  CsvTable& Int(std::string_view column, int64_t value) {
    cells_[column] = std::to_string(value);
    return *this;
  }
  CsvTable& Count(std::string_view column, uint64_t value) {
    cells_[column] = std::to_string(value);
    return *this;
  }
  CsvTable& Real(std::string_view column, double value) {
    cells_[column] = Decimal(value);
    return *this;
  }
  // `side` is "cpu" or "gpu"; no average and extremes without calls.
  CsvTable& Times(const std::string& side, const TimeColumn& time,
                  uint64_t calls) {
    Set(side + "_total_ns", std::to_string(time.total_ns));
    Set(side + "_ratio", Decimal(time.ratio));
    if (calls == 0) return *this;
    Set(side + "_avg_ns", std::to_string(AverageNs(time.total_ns, calls)));
    Set(side + "_max_ns", std::to_string(time.max_ns));
    Set(side + "_min_ns", std::to_string(time.min_ns));
    return *this;
  }

  CsvTable& Percentiles(const std::string& side, const Spread& spread) {
    if (spread.histogram.empty()) return *this;
    Set(side + "_p50_ns", std::to_string(spread.p50_ns));
    Set(side + "_p90_ns", std::to_string(spread.p90_ns));
    Set(side + "_p99_ns", std::to_string(spread.p99_ns));
    return *this;
  }

  std::string Take() {
    Flush();
    return std::move(out_);
  }

 private:
  void Set(const std::string& column, std::string value) {
    for (const std::string_view known : kColumns) {
      if (known == column) cells_[known] = std::move(value);
    }
  }
  void Flush() {
    if (cells_.empty()) return;
    bool first = true;
    for (const std::string_view column : kColumns) {
      if (!first) out_ += ',';
      first = false;
      const auto cell = cells_.find(column);
      if (cell != cells_.end()) out_ += cell->second;
    }
    out_ += '\n';
    cells_.clear();
  }

  std::string out_;
  std::map<std::string_view, std::string> cells_;  // keys from kColumns
};

void AddOverview(CsvTable& csv, std::string_view table,
                 const std::vector<OverviewRow>& rows) {
  for (const OverviewRow& row : rows) {
    csv.Row(table, row.type).Count("calls", row.calls);
    csv.Int("time_ns", row.time_ns).Real("ratio", row.ratio);
  }
}

void AddNamed(CsvTable& csv, std::string_view table, const NamedRow& row) {
  csv.Row(table, row.name).Count("calls", row.calls);
  csv.Times("cpu", row.cpu, row.calls).Times("gpu", row.gpu, row.calls);
}

void AddDevices(CsvTable& csv, const std::vector<OperatorDeviceRow>& rows,
                const std::string& thread, std::string_view parent) {
  for (const OperatorDeviceRow& row : rows) {
    csv.Row("operator_device", row.name).Count("calls", row.calls);
    csv.Text("thread", thread).Text("parent", parent);
    csv.Times("gpu", row.gpu, row.calls);
  }
}

void AddOperators(CsvTable& csv, const Summary& summary, bool thread_sep) {
  for (const OperatorGroup& group : summary.operators) {
    const bool known = thread_sep && !group.unknown_thread;
    const std::string thread = known ? std::to_string(group.thread_id) : "";
    for (const OperatorRow& row : group.rows) {
      csv.Row("operator", row.name).Count("calls", row.calls);
      csv.Text("thread", thread);
      csv.Times("cpu", row.cpu, row.calls).Times("gpu", row.gpu, row.calls);
      csv.Int("self_cpu_ns", row.self_cpu_ns);
      csv.Int("self_gpu_ns", row.self_gpu_ns);
      csv.Percentiles("cpu", row.cpu_spread);
      csv.Percentiles("gpu", row.gpu_spread);
      for (const OperatorInnerRow& inner : row.inner) {
        csv.Row("operator_inner", inner.name).Count("calls", inner.calls);
        csv.Text("thread", thread).Text("parent", row.name);
        csv.Times("cpu", inner.cpu, inner.calls);
        csv.Times("gpu", inner.gpu, inner.calls);
        AddDevices(csv, inner.device, thread, inner.name);
      }
      AddDevices(csv, row.device, thread, row.name);
    }
  }
}

void AddStepTables(CsvTable& csv, const Summary& summary, uint32_t views) {
  const Waterfall& waterfall = summary.waterfall;
  if ((views & kWaterfallView) && !waterfall.steps.empty()) {
    for (size_t i = 0; i < kStepParts; ++i) {
      csv.Row("waterfall", StepPartName(static_cast<StepPart>(i)));
      csv.Int("time_ns", waterfall.part_ns[i]);
      csv.Real("ratio", Ratio(waterfall.part_ns[i], waterfall.step_ns));
    }
  }
  for (const IdleDevice& device : summary.idle.devices) {
    if ((views & kIdleView) == 0) break;
    for (const IdleRow& row : device.rows) {
      csv.Row("idle", StepPartName(row.cause)).Text("parent", device.name);
      csv.Count("calls", row.gaps).Int("time_ns", row.time_ns);
      csv.Real("ratio", Ratio(row.time_ns, device.step_ns));
    }
  }
  if ((views & kLaunchView) && summary.launch.device_events > 0) {
    const LaunchStats& launch = summary.launch;
    csv.Row("launch", "call").Count("calls", launch.call.count);
    csv.Int("time_ns", launch.call.time.total_ns);
    csv.Percentiles("cpu", launch.call.spread);
    csv.Row("launch", "queue_delay").Count("calls", launch.queue_delay.count);
    csv.Int("time_ns", launch.queue_delay.time.total_ns);
    csv.Percentiles("gpu", launch.queue_delay.spread);
    csv.Row("launch", "launch_bound").Count("calls", launch.launch_bound);
    csv.Real("ratio", launch.launch_bound_ratio());
  }
  for (const FlopsRow& row : summary.flops.rows) {
    if ((views & kFlopsView) == 0) break;
    csv.Row("flops", row.name).Count("calls", row.counted_calls);
    csv.Int("time_ns", row.time_ns).Int("flops", row.flops);
    csv.Real("tflops_per_s", row.tflops_per_s());
  }
  for (const OutlierRow& row : summary.outliers) {
    if ((views & kOutlierView) == 0) break;
    csv.Row("outlier", std::to_string(row.index));
    csv.Text("parent", StepPartName(row.cause)).Int("time_ns", row.dur_ns);
  }
  for (const Finding& finding : summary.advice.findings) {
    csv.Row("advice", finding.id).Int("time_ns", finding.saving_ns);
    csv.Real("ratio", finding.saving_ratio);
  }
}

}  // namespace

std::string RenderCsv(const Summary& summary, const TableOptions& options) {
  CsvTable csv;
  for (const DeviceRow& row : summary.device) {
    csv.Row("device", row.name);
    if (row.utilization) csv.Real("ratio", *row.utilization);
  }
  AddOverview(csv, "overview_cpu", summary.overview.cpu);
  AddOverview(csv, "overview_gpu", summary.overview.gpu);
  for (const ModelRow& row : summary.model) {
    csv.Row("model", row.name);
    if (row.calls > 0) csv.Count("calls", row.calls);
    csv.Times("cpu", row.cpu, row.calls).Times("gpu", row.gpu, row.calls);
  }
  if (options.chosen_views() & kDistributedView) {
    const Distribution& part = summary.distribution;
    const auto add = [&](std::string_view name, int64_t ns) {
      csv.Row("distribution", name).Int("time_ns", ns);
      csv.Real("ratio", Ratio(ns, summary.total_ns));
    };
    add("ProfileStep", summary.total_ns);
    add("Communication", part.communication_ns);
    add("Computation", part.computation_ns);
    add("Overlap", part.overlap_ns);
  }
  AddOperators(csv, summary, options.thread_sep);
  for (const KernelRow& row : summary.kernel) {
    csv.Row("kernel", row.name).Count("calls", row.calls);
    csv.Times("gpu", row.gpu, row.calls).Percentiles("gpu", row.spread);
  }
  for (const NamedRow& row : summary.memory_manipulation) {
    AddNamed(csv, "memory_manipulation", row);
  }
  for (const ThreadRows& group : summary.user_defined) {
    for (const NamedRow& row : group.rows) {
      AddNamed(csv, "user_defined", row);
      if (options.thread_sep) csv.Int("thread", group.thread_id);
    }
  }
  for (const MemoryPlace& place : summary.memory) {
    for (const MemoryRow& row : place.rows) {
      csv.Row(row.reserved ? "memory_reserved" : "memory_allocated", row.name);
      csv.Text("parent", place.place);
      csv.Count("allocation_count", row.allocations);
      csv.Count("free_count", row.frees);
      csv.Int("allocation_bytes", row.allocated_bytes);
      csv.Int("free_bytes", row.freed_bytes);
      csv.Int("increase_bytes", row.increase_bytes());
    }
  }
  AddStepTables(csv, summary, options.chosen_views());
  return csv.Take();
}

}  // namespace stepscope
