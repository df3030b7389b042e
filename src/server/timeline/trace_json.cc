// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/trace_json.h"

#include <bit>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "analysis/looks.h"
#include "analysis/step_part.h"
#include "base/json_writer.h"
#include "report/ledger_json.h"
#include "server/serving/serving.h"
#include "server/timeline/idle_parts.h"
#include "server/timeline/short_names.h"
#include "trace/clock_facts.h"
#include "trace/event_type.h"
#include "trace/job/process_ending.h"
#include "trace/overlap.h"

namespace stepscope::server {
namespace {

// What is sent at once: a few hundred kilobytes.
constexpr size_t kFewNames = 20'000;
constexpr size_t kFewBytes = 1 << 20;

// How the clock of a process was laid beside those of other ranks; null: it
// was not. The offset may be too large for a number of JavaScript.
void WriteClock(JsonWriter& json, const Trace& trace, const Process& process) {
  const auto fact = [&](std::string_view key) {
    for (const auto& [name, value] : process.metadata)
      if (trace.str(name) == key) return std::string(trace.str(value));
    return std::string();
  };
  const auto number = [&](std::string_view name, std::string_view key) {
    const std::string text = fact(key);
    json.Key(name);
    if (text.empty())
      json.Null();
    else
      json.Number(std::strtod(text.c_str(), nullptr));
  };
  json.Key("clock");
  const std::string method = fact(kClockMethodKey);
  if (method.empty()) {
    json.Null();
    return;
  }
  json.BeginObject().Field("method", method);
  json.Field("offset_ns", fact(kClockOffsetKey));
  number("drift_ppm", kClockDriftKey);
  number("error_ns", kClockErrorKey);
  number("error_ppm", kClockErrorGrowthKey);
  json.EndObject();
}

void WriteGroups(JsonWriter& json, const Trace& trace, const ViewTracks& view) {
  json.Key("groups").BeginArray();
  for (size_t i = 0; i < view.groups.size(); ++i) {
    const TrackGroup& group = view.groups[i];
    json.BeginObject().Field("id", uint64_t{i});
    json.Field("name", group.name).Field("detail", group.detail);
    json.Field("kind", group.kind).Field("pid", group.pid);
    json.Key("rank");
    if (group.rank >= 0)
      json.Int(group.rank);
    else
      json.Null();
    WriteClock(json, trace, trace.processes()[group.process]);
    json.EndObject();
  }
  json.EndArray();
}

void WriteTracks(JsonWriter& json, const ViewTracks& view,
                 const PreviewTrace* preview) {
  json.Key("tracks").BeginArray();
  for (size_t i = 0; i < view.tracks.size(); ++i) {
    const ViewTrack& track = view.tracks[i];
    // Of curves, a preview has nothing to show.
    if (preview != nullptr && track.parts.empty()) continue;
    json.BeginObject().Field("id", uint64_t{i});
    json.Field("group", uint64_t{track.group}).Field("kind", track.kind);
    json.Field("name", track.name).Field("detail", track.detail);
    json.Field("events", preview == nullptr
                             ? track.events
                             : preview->events(static_cast<uint32_t>(i)));
    json.Field("depth", uint64_t{track.depth}).Field("unit", track.unit);
    json.EndObject();
  }
  json.EndArray();
}

void WriteInterval(JsonWriter& json, const OpenTrace& open,
                   const StepInterval& interval) {
  json.Field("start", interval.range.begin - open.origin_ns());
  json.Field("end", interval.range.end - open.origin_ns());
  json.Field("dur", interval.range.end - interval.range.begin);
  const uint32_t track = open.tree().threads()[interval.thread].first_track;
  const uint32_t in_view = open.view().of_track[track];
  json.Key("group");
  if (in_view < open.view().tracks.size())
    json.UInt(open.view().tracks[in_view].group);
  else
    json.Null();
}

void WriteSteps(JsonWriter& json, const OpenTrace& open) {
  json.Key("steps").BeginArray();
  for (const StepInterval& step : open.steps().steps()) {
    json.BeginObject().Field("index", step.index);
    WriteInterval(json, open, step);
    json.Field("warmup", step.warmup).EndObject();
  }
  json.EndArray();
}

void WriteStages(JsonWriter& json, const OpenTrace& open) {
  json.Key("stages").BeginArray();
  for (const StepInterval& stage : open.steps().stages()) {
    json.BeginObject().Field("name", EventTypeName(stage.type));
    WriteInterval(json, open, stage);
    json.Field("inferred", stage.inferred).EndObject();
  }
  json.EndArray();
}

uint64_t SumOf(const std::map<std::string, Ledger::Bin, std::less<>>& bins) {
  uint64_t sum = 0;
  for (const auto& [reason, bin] : bins) sum += bin.count;
  return sum;
}

void WritePreview(JsonWriter& json, const PreviewTrace* preview) {
  json.Key("preview");
  if (preview == nullptr) {
    json.Null();
    return;
  }
  json.BeginObject().Field("read", preview->preview().events);
  json.Field("events", preview->preview().stated).EndObject();
}

// What names are called where there is little room, as far as that differs.
// The page has no rule of its own for it.
void WriteShortNames(JsonWriter& json, const Trace& trace) {
  json.Key("short").BeginObject();
  for (const auto& [name, shown] : ShortNames(trace))
    json.Field(trace.str(name), shown);
  json.EndObject();
}

// `preview`: of which `open` is the outline, or null.
std::string MakeTraceJson(const OpenTrace& open, const PreviewTrace* preview) {
  const Trace& trace = open.trace();
  JsonWriter json;
  json.BeginObject();
  json.Field("origin_ns", std::to_string(open.origin_ns()));
  json.Field("epoch_ns", std::to_string(trace.epoch_ns()));
  json.Field("epoch_known", trace.clock().epoch_known);
  json.Field("span_ns", open.span_ns());
  json.Field("events_end", open.events_end_ns());
  json.Field("events", preview == nullptr ? uint64_t{trace.size()}
                                          : preview->preview().events);
  WritePreview(json, preview);
  json.Field("names", uint64_t{trace.strings().size()});
  WriteShortNames(json, trace);
  WriteGroups(json, trace, open.view());
  WriteTracks(json, open.view(), preview);
  if (preview == nullptr) {
    WriteSteps(json, open);
    WriteStages(json, open);
  } else {
    json.Key("steps").BeginArray().EndArray();
    json.Key("stages").BeginArray().EndArray();
  }
  json.Field("serves", preview == nullptr && MayServe(open.tree()));
  json.Key("idle_causes").BeginArray();
  for (const std::string_view cause : IdleCauseNames()) json.String(cause);
  json.EndArray();
  json.Key("classes").BeginArray();
  for (const Look& look : kEventClassLooks) json.String(look.name);
  json.EndArray();
  // From one ns to the whole trace in one tile.
  const int whole =
      std::max(0, 64 - std::countl_zero(static_cast<uint64_t>(open.span_ns())) -
                      kTileBits);
  const int finest = preview == nullptr ? 0 : preview->preview().level;
  json.Key("levels").BeginObject().Field("min", int64_t{finest});
  json.Field("max", int64_t{std::max(finest, whole)}).EndObject();
  json.Field("complete", trace.complete());
  json.Field("recording", IsStillRecorded(trace));
  WriteSource(json, trace);
  WriteLedger(json, trace, {open.tree().orphans(), CountOutliving(trace)});
  const Ledger& ledger = trace.ledger();
  json.Field("repaired", SumOf(ledger.repaired()));
  json.Field("rejected", SumOf(ledger.rejected()));
  json.Key("notes").BeginArray();
  for (const std::string& note : trace.notes()) json.String(note);
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace

std::string TraceJson(const OpenTrace& open) {
  return MakeTraceJson(open, nullptr);
}

std::string TraceJson(const PreviewTrace& preview) {
  return MakeTraceJson(preview.outline(), &preview);
}

std::string NamesJson(const OpenTrace& open) {
  const Trace& trace = open.trace();
  const uint32_t count = trace.strings().size();
  size_t bytes = 0;
  for (uint32_t i = 0; i < count && bytes <= kFewBytes; ++i)
    bytes += trace.str(StringId{i}).size();
  JsonWriter json;
  json.BeginObject();
  const bool all = count <= kFewNames && bytes <= kFewBytes;
  json.Field("all", all).Key("names").BeginArray();
  for (uint32_t i = 0; all && i < count; ++i)
    json.String(trace.str(StringId{i}));
  json.EndArray().EndObject();
  return json.Take();
}

std::string NamesJson(const OpenTrace& open, std::span<const uint32_t> ids) {
  const Trace& trace = open.trace();
  JsonWriter json;
  json.BeginObject().Field("all", false).Key("names").BeginArray();
  for (const uint32_t id : ids)
    if (id < trace.strings().size()) json.String(trace.str(StringId{id}));
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
