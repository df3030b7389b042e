// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "analysis/launches.h"
#include "analysis/ranks/hang.h"
#include "analysis/recording_budget.h"
#include "base/json_writer.h"
#include "report/info/info.h"
#include "report/info/recording_cost.h"
#include "report/info/thread_info.h"
#include "report/ledger_json.h"
#include "trace/event_type.h"
#include "trace/overlap.h"
#include "trace/write_loss.h"

namespace stepscope {
namespace {

void WriteProcesses(JsonWriter& json, const Trace& trace) {
  json.Key("processes").BeginArray();
  for (const Process& process : trace.processes()) {
    json.BeginObject().Field("pid", process.pid).Key("rank");
    if (process.rank >= 0)
      json.Int(process.rank);
    else
      json.Null();
    json.Field("name", trace.str(process.name));
    json.Field("host", trace.str(process.host));
    json.Field("source", trace.source_of(process).path);
    json.Field("start_ns", process.start_ns);
    // A list, since keys may repeat.
    json.Key("metadata").BeginArray();
    for (const auto& [key, value] : process.metadata) {
      json.BeginObject().Field("key", trace.str(key));
      json.Field("value", trace.str(value)).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
}

void WriteThread(JsonWriter& json, const Trace& trace,
                 const ThreadInfo& thread) {
  const ThreadReport none;
  const ThreadReport& report = thread.report == nullptr ? none : *thread.report;
  json.BeginObject();
  json.Field("process", uint64_t{thread.track->process});
  json.Field("tid", thread.track->id);
  json.Field("name", trace.str(thread.track->name));
  json.Field("events", thread.events);
  json.Field("recorded", thread.report ? report.recorded : thread.events);
  json.Field("side_recorded", report.side_recorded);
  json.Key("dropped").BeginObject();
  for (const auto& [reason, count] : report.dropped) json.Field(reason, count);
  json.EndObject().Field("dropped_total", thread.dropped);
  json.Field("exited", report.exited);
  json.Key("open_scopes").BeginArray();
  for (const Row row : report.open_scopes) {
    json.BeginObject().Field("name", trace.str(trace.name()[row]));
    json.Field("type", EventTypeName(trace.type()[row]));
    json.Field("start_ns", trace.start_ns()[row]);
    json.Field("dur_ns", trace.dur_ns()[row]).EndObject();
  }
  json.EndArray().EndObject();
}

void WriteSources(JsonWriter& json, const Trace& trace) {
  json.Key("sources").BeginArray();
  for (const Source& source : trace.sources()) {
    const Ledger& ledger = source.ledger;
    json.BeginObject().Field("format", source.format);
    json.Field("file", source.path);
    json.Field("complete", source.complete);
    json.Field("epoch_known", source.clock.epoch_known);
    json.Field("epoch_ns", source.epoch_ns);
    json.Field("clock_source", source.clock.source);
    json.Field("seen", ledger.seen()).Field("kept", ledger.kept());
    json.Key("notes").BeginArray();
    for (const std::string& note : source.notes) json.String(note);
    json.EndArray().EndObject();
  }
  json.EndArray();
}

void WriteJobs(JsonWriter& json, const TraceInfo& input) {
  json.Key("jobs").BeginArray();
  for (const JobInfo& job : input.jobs) {
    json.BeginObject().Key("files").BeginArray();
    for (const std::string& file : job.files) json.String(file);
    json.EndArray().Key("same_window").BeginArray();
    for (const TraceFolder::Repeat& repeat : job.repeats) {
      json.BeginObject().Field("file", repeat.path);
      json.Field("same_window_as", repeat.same_window_as).EndObject();
    }
    json.EndArray().Field("processes", job.processes);
    json.Field("events", job.events);
    json.Field("epoch_known", job.epoch_known);
    json.Field("begin_ns", job.begin_ns);
    json.Field("end_ns", job.end_ns).EndObject();
  }
  json.EndArray().Key("skipped").BeginArray();
  for (const TraceFolder::Skipped& file : input.skipped) {
    json.BeginObject().Field("file", file.path);
    json.Field("reason", file.reason).EndObject();
  }
  json.EndArray();
}

// What was added to the recorded times of each file, exactly:
// to_ns + floor((t - from_ns) * rate_to / rate_from).
void WriteClocks(JsonWriter& json, const SetClocks& clocks) {
  json.Key("clocks").BeginArray();
  for (const MemberClock& member : clocks.members) {
    const AlignedClock& clock = member.clock;
    json.BeginObject().Field("file", member.file).Key("rank");
    if (member.rank >= 0)
      json.Int(member.rank);
    else
      json.Null();
    json.Field("method", ClockMethodName(clock.method));
    json.Field("collectives", clock.collectives);
    json.Field("offset_ns", clock.offset_ns);
    json.Field("drift_ppm", clock.drift_ppm).Key("error_ns");
    if (clock.error_ns >= 0)
      json.Int(clock.error_ns);
    else
      json.Null();
    json.Field("error_ppm", clock.error_ppm);
    json.Field("center_ns", clock.center_ns);
    json.Key("map").BeginObject().Field("from_ns", clock.to_set.from_ns());
    json.Field("to_ns", clock.to_set.to_ns());
    json.Field("rate_to", clock.to_set.rate_to());
    json.Field("rate_from", clock.to_set.rate_from());
    json.EndObject().EndObject();
  }
  json.EndArray();
}

// Of `run --always --budget` alone.
void WriteBudget(JsonWriter& json, const RecordingBudget& budget) {
  json.Key("budget").BeginObject().Field("full_share_ratio", budget.full_share);
  json.Key("cost");
  if (budget.cost) {
    json.BeginObject().Field("ratio", budget.cost->ratio);
    json.Field("low_ratio", budget.cost->low);
    json.Field("high_ratio", budget.cost->high).EndObject();
  } else {
    json.Null();
  }
  json.EndObject();
}

// Null where it is not known how long unrecorded steps take.
void WriteRecordingCost(JsonWriter& json, const Trace& trace) {
  if (const auto budget = FindRecordingBudget(trace))
    WriteBudget(json, *budget);
  json.Key("recording_cost");
  const std::optional<StepTime> time = FindRecordingCost(trace);
  if (!time || !time->slow_down()) {
    json.Null();
    return;
  }
  json.BeginObject().Field("step_ns", time->p50_ns);
  json.Field("unprofiled_step_ns", time->unprofiled->ns);
  json.Field("unprofiled_steps", time->unprofiled->count);
  json.Field("slow_down", *time->slow_down()).EndObject();
}

// Who waits where and who is missing, as `info` says it; null: nobody hangs.
void WriteHang(JsonWriter& json, const Trace& trace) {
  json.Key("hang");
  const Hang hang = FindHang(trace);
  if (!hang.found()) {
    json.Null();
    return;
  }
  json.BeginObject().Field("reason", hang.reason).Key("ranks").BeginArray();
  const auto name = [&](std::string_view key, Row row) {
    json.Key(key);
    if (row == kNoRow)
      json.Null();
    else
      json.String(trace.str(trace.name()[row]));
  };
  for (const HangRank& rank : hang.ranks) {
    const Process& process = trace.processes()[rank.process];
    json.BeginObject().Key("rank");
    if (process.rank >= 0)
      json.Int(process.rank);
    else
      json.Null();
    json.Field("pid", process.pid);
    name("waits_in", rank.collective);
    name("step", rank.step);
    name("last_ended", rank.last_ended);
    json.Key("open").BeginArray();
    for (const Row row : rank.open) {
      json.BeginObject();
      json.Field("name", trace.str(trace.name()[row]));
      json.Field("for_ns", rank.end_ns - trace.start_ns()[row]).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().Key("lines").BeginArray();
  for (const std::string& line : DescribeHang(trace, hang)) json.String(line);
  json.EndArray().EndObject();
}

}  // namespace

std::string InfoJson(const TraceInfo& input) {
  const Trace& trace = *input.trace;
  JsonWriter json;
  json.BeginObject();
  WriteSource(json, trace);
  const Column<DeviceWork> work = FindLaunches(trace, Census(trace));
  const auto lost = std::count_if(
      work.view().begin(), work.view().end(),
      [](const DeviceWork& item) { return item.launch == kNoRow; });
  WriteLedger(json, trace,
              {static_cast<uint64_t>(lost), CountOutliving(trace)});
  json.Field("complete", trace.complete() && !FindWriteLoss(trace).any());
  json.Key("window").BeginObject().Field("begin_ns", trace.begin_ns());
  json.Field("end_ns", trace.end_ns()).EndObject();
  json.Key("counts").BeginObject();
  json.Field("events", uint64_t{trace.size()});
  json.Field("memory", uint64_t{trace.memory().size()});
  json.Field("counters", uint64_t{trace.counters().size()});
  json.Field("flows", uint64_t{trace.flows().size()});
  json.Field("args", uint64_t{trace.args().size()});
  json.Field("names", uint64_t{trace.strings().size()}).EndObject();
  WriteProcesses(json, trace);
  json.Key("threads").BeginArray();
  for (const ThreadInfo& thread : ThreadInfos(trace))
    WriteThread(json, trace, thread);
  json.EndArray();
  WriteRecordingCost(json, trace);
  const ClockInfo& clock = trace.clock();
  json.Key("clock").BeginObject().Field("source", clock.source);
  json.Field("anchors", clock.anchors);
  json.Field("worst_error_ns", clock.worst_error_ns);
  json.Field("ticks_per_second", clock.ticks_per_second);
  json.Field("epoch_known", clock.epoch_known);
  json.Field("epoch_ns", trace.epoch_ns()).EndObject();
  json.Key("notes").BeginArray();
  for (const std::string& note : trace.notes()) json.String(note);
  json.EndArray();
  WriteSources(json, trace);
  WriteJobs(json, input);
  WriteClocks(json, input.clocks);
  WriteHang(json, trace);
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace stepscope
