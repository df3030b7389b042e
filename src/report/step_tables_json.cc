// SPDX-License-Identifier: Apache-2.0
#include "report/step_tables_json.h"

#include <utility>

namespace stepscope {
namespace {

void WriteWaterfall(JsonWriter& json, const Summary& summary) {
  const Waterfall& waterfall = summary.waterfall;
  const auto& processes = summary.trace->processes();
  json.BeginObject().Field("step_ns", waterfall.step_ns);
  json.Key("parts").BeginArray();
  for (size_t i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    json.BeginObject().Field("name", StepPartName(part));
    json.Field("time_ns", waterfall.part_ns[i]);
    json.Field("ratio", Ratio(waterfall.part_ns[i], waterfall.step_ns));
    json.Field("formula", StepPartFormula(part)).EndObject();
  }
  json.EndArray().Field("coverage", waterfall.coverage());
  json.Key("inputs").BeginObject();
  json.Field("processes", waterfall.processes);
  json.Field("steps", summary.has_steps ? waterfall.steps.size() : 0);
  json.Field("other_threads_steps", waterfall.other_threads_steps);
  json.Field("host_events", waterfall.host_events);
  json.Field("device_events", waterfall.device_events);
  json.Field("device_events_launched", waterfall.device_events_launched);
  json.EndObject().Key("per_step").BeginArray();
  for (const StepParts& step : waterfall.steps) {
    json.BeginObject().Key("index");
    if (step.row == kNoRow) {
      json.Null();
    } else {
      json.Int(step.index);
    }
    json.Field("pid", processes[step.process].pid);
    json.Field("start_ns", step.range.begin);
    json.Key("parts_ns").BeginArray();
    for (const int64_t ns : step.part_ns) json.Int(ns);
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
}

void WriteIdle(JsonWriter& json, const Summary& summary) {
  const auto& processes = summary.trace->processes();
  for (const IdleDevice& device : summary.idle.devices) {
    for (const IdleRow& row : device.rows) {
      json.BeginObject().Field("device", device.name);
      json.Field("pid", processes[device.process].pid);
      json.Field("cause", StepPartName(row.cause));
      json.Field("time_ns", row.time_ns);
      json.Field("ratio", Ratio(row.time_ns, device.step_ns));
      json.Field("gaps", row.gaps).Field("longest_ns", row.longest_ns);
      json.Key("longest_at_ns");
      if (row.gaps > 0) {
        json.Int(row.longest_at_ns);
      } else {
        json.Null();
      }
      json.EndObject();
    }
  }
}

void WriteLaunchSeries(JsonWriter& json, std::string_view key,
                       const LaunchSeries& series) {
  json.Key(key).BeginObject().Field("count", series.count);
  json.Field("total_ns", series.time.total_ns);
  json.Field("avg_ns", AverageNs(series.time.total_ns, series.count));
  json.Field("max_ns", series.time.max_ns);
  json.Field("min_ns", series.time.min_or_zero());
  WriteSpread(json, series.spread);
  json.EndObject();
}

void WriteLaunch(JsonWriter& json, const LaunchStats& launch) {
  json.BeginObject().Field("device_events", launch.device_events);
  json.Field("without_launch", launch.without_launch);
  json.Field("launches_without_work", launch.launches_without_work);
  WriteLaunchSeries(json, "call", launch.call);
  WriteLaunchSeries(json, "queue_delay", launch.queue_delay);
  json.Field("began_before_launch", launch.early);
  json.Field("short_kernels", launch.short_kernels);
  json.Field("short_kernels_ns", launch.short_kernels_ns);
  json.Field("short_kernels_call_ns", launch.short_calls_ns);
  json.Field("launch_bound", launch.launch_bound);
  json.Field("launch_bound_of", launch.followers);
  json.Field("launch_bound_ratio", launch.launch_bound_ratio()).EndObject();
}

void WriteOutliers(JsonWriter& json, const Summary& summary) {
  const auto& processes = summary.trace->processes();
  for (const OutlierRow& row : summary.outliers) {
    json.BeginObject().Field("index", row.index);
    json.Field("pid", processes[row.process].pid);
    json.Field("start_ns", row.start_ns).Field("dur_ns", row.dur_ns);
    json.Field("median_ns", row.median_ns).Field("excess_ns", row.excess_ns);
    json.Field("cause", StepPartName(row.cause));
    json.Field("cause_excess_ns", row.cause_excess_ns).EndObject();
  }
}

void WriteFlops(JsonWriter& json, const FlopsTable& table) {
  for (const FlopsRow& row : table.rows) {
    json.BeginObject().Field("name", row.name).Field("calls", row.calls);
    json.Field("counted_calls", row.counted_calls);
    json.Field("flops", row.flops).Field("time_ns", row.time_ns);
    json.Field("on_device", row.on_device);
    json.Field("tflops_per_s", row.tflops_per_s()).EndObject();
  }
}

}  // namespace

void WriteSpread(JsonWriter& json, const Spread& spread) {
  const std::pair<std::string_view, int64_t> percentiles[] = {
      {"p50_ns", spread.p50_ns},
      {"p90_ns", spread.p90_ns},
      {"p99_ns", spread.p99_ns}};
  for (const auto& [key, value] : percentiles) {
    json.Key(key);
    if (spread.histogram.empty()) {
      json.Null();
    } else {
      json.Int(value);
    }
  }
  json.Key("histogram").BeginArray();
  for (const HistogramBin& bin : spread.histogram) {
    json.BeginObject().Field("from_ns", bin.from_ns());
    json.Field("to_ns", bin.to_ns()).Field("count", bin.count).EndObject();
  }
  json.EndArray();
}

void WriteMemoryLife(JsonWriter& json, const MemoryLife& life) {
  json.Field("peak_at_ns", life.peak_at_ns);
  json.Key("live_at_peak").BeginArray();
  for (const LiveRow& row : life.live_at_peak) {
    json.BeginObject().Field("name", row.name).Field("bytes", row.bytes);
    json.Field("allocations", row.allocations).EndObject();
  }
  json.EndArray().Field("before_recording_bytes", life.before_bytes);
  json.Key("leak_candidates").BeginArray();
  for (const LeakRow& row : life.leaks) {
    json.BeginObject().Field("name", row.name).Field("bytes", row.bytes);
    json.Field("allocations", row.allocations);
    json.Field("steps", row.steps).EndObject();
  }
  json.EndArray();
}

void WriteStepTables(JsonWriter& json, const Summary& summary,
                     const TableOptions& options) {
  const uint32_t views = options.chosen_views();
  json.Key("waterfall");
  if ((views & kWaterfallView) && !summary.waterfall.steps.empty()) {
    WriteWaterfall(json, summary);
  } else {
    json.Null();
  }
  json.Key("idle").BeginArray();
  if (views & kIdleView) WriteIdle(json, summary);
  json.EndArray().Key("launch");
  if ((views & kLaunchView) && summary.launch.device_events > 0) {
    WriteLaunch(json, summary.launch);
  } else {
    json.Null();
  }
  json.Key("outliers").BeginArray();
  if (views & kOutlierView) WriteOutliers(json, summary);
  json.EndArray().Key("flops").BeginArray();
  if (views & kFlopsView) WriteFlops(json, summary.flops);
  json.EndArray();
}

}  // namespace stepscope
