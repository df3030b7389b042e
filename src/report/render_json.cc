// SPDX-License-Identifier: Apache-2.0
#include "report/render_json.h"

#include "base/json_writer.h"
#include "report/ledger_json.h"
#include "report/render_advice.h"
#include "report/step_tables_json.h"

namespace stepscope {
namespace {

void WriteTimes(JsonWriter& json, std::string_view key, const TimeColumn& time,
                uint64_t calls) {
  json.Key(key).BeginObject();
  json.Field("total_ns", time.total_ns);
  json.Field("avg_ns", AverageNs(time.total_ns, calls));
  json.Field("max_ns", time.max_ns);
  json.Field("min_ns", time.min_ns);
  json.Field("ratio", time.ratio).EndObject();
}

// The same with percentiles and a histogram; null and [] unless asked for.
void WriteSpreadTimes(JsonWriter& json, std::string_view key,
                      const TimeColumn& time, const Spread& spread,
                      uint64_t calls) {
  json.Key(key).BeginObject();
  json.Field("total_ns", time.total_ns);
  json.Field("avg_ns", AverageNs(time.total_ns, calls));
  json.Field("max_ns", time.max_ns);
  json.Field("min_ns", time.min_ns);
  json.Field("ratio", time.ratio);
  WriteSpread(json, spread);
  json.EndObject();
}

// Of a row without calls only the total means something.
void WriteTotal(JsonWriter& json, std::string_view key,
                const TimeColumn& time) {
  json.Key(key).BeginObject().Field("total_ns", time.total_ns);
  json.Key("avg_ns").Null().Key("max_ns").Null().Key("min_ns").Null();
  json.Field("ratio", time.ratio).EndObject();
}

void WriteOverview(JsonWriter& json, std::string_view key,
                   const std::vector<OverviewRow>& rows) {
  json.Key(key).BeginArray();
  for (const OverviewRow& row : rows) {
    json.BeginObject().Field("type", row.type).Field("calls", row.calls);
    json.Field("time_ns", row.time_ns).Field("ratio", row.ratio).EndObject();
  }
  json.EndArray();
}

void WriteModel(JsonWriter& json, const std::vector<ModelRow>& rows) {
  json.Key("model").BeginArray();
  for (const ModelRow& row : rows) {
    json.BeginObject().Field("name", row.name).Key("calls");
    if (row.name == kOthersName) {
      json.Null();
      WriteTotal(json, "cpu", row.cpu);
      WriteTotal(json, "gpu", row.gpu);
    } else {
      json.UInt(row.calls);
      WriteTimes(json, "cpu", row.cpu, row.calls);
      WriteTimes(json, "gpu", row.gpu, row.calls);
    }
    json.Field("inferred", row.inferred).EndObject();
  }
  json.EndArray();
}

void WriteDevices(JsonWriter& json,
                  const std::vector<OperatorDeviceRow>& rows) {
  json.Key("device").BeginArray();
  for (const OperatorDeviceRow& row : rows) {
    json.BeginObject().Field("name", row.name).Field("calls", row.calls);
    WriteTimes(json, "gpu", row.gpu, row.calls);
    json.EndObject();
  }
  json.EndArray();
}

void WriteThread(JsonWriter& json, bool known, int64_t id) {
  json.Key("thread");
  if (known) {
    json.Int(id);
  } else {
    json.Null();
  }
}

void WriteOperator(JsonWriter& json, const OperatorRow& row) {
  json.Field("name", row.name).Field("calls", row.calls);
  WriteSpreadTimes(json, "cpu", row.cpu, row.cpu_spread, row.calls);
  WriteSpreadTimes(json, "gpu", row.gpu, row.gpu_spread, row.calls);
  json.Field("self_cpu_ns", row.self_cpu_ns);
  json.Field("self_gpu_ns", row.self_gpu_ns);
  json.Key("inner").BeginArray();
  for (const OperatorInnerRow& inner : row.inner) {
    json.BeginObject().Field("name", inner.name).Field("calls", inner.calls);
    WriteTimes(json, "cpu", inner.cpu, inner.calls);
    WriteTimes(json, "gpu", inner.gpu, inner.calls);
    WriteDevices(json, inner.device);
    json.EndObject();
  }
  json.EndArray();
  WriteDevices(json, row.device);
}

void WriteNamed(JsonWriter& json, const NamedRow& row) {
  json.Field("name", row.name).Field("calls", row.calls);
  WriteTimes(json, "cpu", row.cpu, row.calls);
  WriteTimes(json, "gpu", row.gpu, row.calls);
}

void WriteIfKnown(JsonWriter& json, std::string_view key,
                  const std::optional<double>& value) {
  json.Key(key);
  if (value) {
    json.Number(*value);
  } else {
    json.Null();
  }
}

void WriteKernel(JsonWriter& json, const KernelRow& row) {
  json.BeginObject().Field("name", row.name).Field("calls", row.calls);
  WriteSpreadTimes(json, "gpu", row.gpu, row.spread, row.calls);
  json.Field("tensor_core_estimated", row.tensor_core);
  WriteIfKnown(json, "occupancy", row.occupancy);
  WriteIfKnown(json, "unfilled", row.unfilled);
  json.EndObject();
}

void WriteMemory(JsonWriter& json, const std::vector<MemoryPlace>& places) {
  json.Key("memory").BeginArray();
  for (const MemoryPlace& place : places) {
    json.BeginObject().Field("place", place.place);
    json.Field("peak_allocated_bytes", place.peak_allocated_bytes);
    json.Field("peak_reserved_bytes", place.peak_reserved_bytes);
    json.Key("rows").BeginArray();
    for (const MemoryRow& row : place.rows) {
      json.BeginObject().Field("name", row.name);
      json.Field("type", row.reserved ? "Reserved" : "Allocated");
      json.Field("allocation_count", row.allocations);
      json.Field("free_count", row.frees);
      json.Field("allocation_bytes", row.allocated_bytes);
      json.Field("free_bytes", row.freed_bytes);
      json.Field("increase_bytes", row.increase_bytes()).EndObject();
    }
    json.EndArray();
    WriteMemoryLife(json, place.life);
    json.EndObject();
  }
  json.EndArray();
}

void WriteSeries(JsonWriter& json, std::string_view key,
                 const CostSeries& series) {
  json.Key(key).BeginObject();
  json.Field("avg_ns", series.avg_ns).Field("max_ns", series.max_ns);
  json.Field("min_ns", series.min_ns).Field("p50_ns", series.p50_ns);
  json.Field("p90_ns", series.p90_ns).Field("p99_ns", series.p99_ns);
  json.EndObject();
}

void WriteBenchmark(JsonWriter& json, const Benchmark& benchmark) {
  json.Key("benchmark");
  if (benchmark.steps == 0) {
    json.Null();
    return;
  }
  json.BeginObject().Field("steps", benchmark.steps);
  json.Field("skipped", benchmark.skipped);
  WriteSeries(json, "reader_cost", benchmark.reader);
  WriteSeries(json, "batch_cost", benchmark.batch);
  json.Field("reader_ratio", benchmark.reader_ratio);
  json.Key("ips").BeginObject().Field("unit", "steps/s");
  json.Field("avg", benchmark.ips_avg).Field("max", benchmark.ips_max);
  json.Field("min", benchmark.ips_min).EndObject().EndObject();
}

void WriteTables(JsonWriter& json, const Summary& summary,
                 const TableOptions& options) {
  json.Key("device").BeginArray();
  for (const DeviceRow& row : summary.device) {
    json.BeginObject().Field("name", row.name);
    WriteIfKnown(json, "utilization", row.utilization);
    json.EndObject();
  }
  json.EndArray().Key("overview").BeginObject();
  WriteOverview(json, "cpu", summary.overview.cpu);
  WriteOverview(json, "gpu", summary.overview.gpu);
  json.EndObject();
  WriteModel(json, summary.model);
  const Distribution& distribution = summary.distribution;
  json.Key("distribution");
  if (options.chosen_views() & kDistributedView) {
    json.BeginObject().Field("step_ns", summary.total_ns);
    json.Field("communication_ns", distribution.communication_ns);
    json.Field("computation_ns", distribution.computation_ns);
    json.Field("overlap_ns", distribution.overlap_ns).EndObject();
  } else {
    json.Null();
  }
  json.Key("operator").BeginArray();
  for (const OperatorGroup& group : summary.operators) {
    for (const OperatorRow& row : group.rows) {
      json.BeginObject();
      WriteOperator(json, row);
      WriteThread(json, options.thread_sep && !group.unknown_thread,
                  group.thread_id);
      json.EndObject();
    }
  }
  json.EndArray().Key("kernel").BeginArray();
  for (const KernelRow& row : summary.kernel) WriteKernel(json, row);
  json.EndArray().Key("memory_manipulation").BeginArray();
  for (const NamedRow& row : summary.memory_manipulation) {
    json.BeginObject();
    WriteNamed(json, row);
    json.EndObject();
  }
  json.EndArray().Key("user_defined").BeginArray();
  for (const ThreadRows& group : summary.user_defined) {
    for (const NamedRow& row : group.rows) {
      json.BeginObject();
      WriteNamed(json, row);
      WriteThread(json, options.thread_sep, group.thread_id);
      json.EndObject();
    }
  }
  json.EndArray();
  WriteMemory(json, summary.memory);
  WriteBenchmark(json, summary.benchmark);
}

}  // namespace

std::string RenderJson(const Summary& summary, const TableOptions& options) {
  JsonWriter json;
  json.BeginObject();
  WriteSource(json, *summary.trace);
  WriteLedger(json, *summary.trace, summary.no_launch);
  json.Key("steps").BeginArray();
  for (const StepRow& step : summary.steps) {
    json.BeginObject().Field("index", step.index);
    json.Field("start_ns", step.start_ns).Field("dur_ns", step.dur_ns);
    json.EndObject();
  }
  json.EndArray();
  WriteTables(json, summary, options);
  WriteStepTables(json, summary, options);
  WriteAdvice(json, summary);
  json.Key("notes").BeginArray();
  for (const std::string& note : summary.notes) json.String(note);
  json.EndArray().EndObject();
  return json.Take() + "\n";
}

}  // namespace stepscope
