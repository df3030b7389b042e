// SPDX-License-Identifier: Apache-2.0
#include "server/events/event_json.h"

#include <algorithm>

#include "analysis/looks.h"
#include "base/json_fragment.h"
#include "server/events/callers.h"
#include "server/events/event_facts.h"
#include "server/events/event_relations.h"
#include "server/events/same_name.h"
#include "server/serving/serving_json.h"
#include "trace/event_type.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostListed = 100;
constexpr uint64_t kMostChildren = 1'000'000;

std::string_view NameOf(const OpenTrace& open, Row row) {
  return open.trace().str(open.trace().name()[row]);
}

std::string_view ClassOf(const OpenTrace& open, Row row) {
  return kEventClassLooks[open.pyramid().class_of(row)].name;
}

int64_t StartOf(const OpenTrace& open, Row row) {
  return open.trace().start_ns()[row] - open.origin_ns();
}

std::string ValueText(const Trace& trace, const Arg& arg) {
  JsonWriter json;
  switch (arg.kind) {
    case ArgKind::kInt:
      return std::to_string(arg.int_value);
    case ArgKind::kDouble:
      return json.Number(arg.double_value).Take();
    case ArgKind::kText:
    case ArgKind::kJson:
      return std::string(trace.str(arg.text));
    case ArgKind::kIntList:
      break;
  }
  std::string text = "[";
  for (uint32_t i = 0; i < arg.list_count; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(trace.arg_ints()[arg.list_first + i]);
  }
  return text + "]";
}

// Text without the quotes of JSON, where that is all there is to it.
std::string_view Unquoted(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"' &&
      value.find('\\') == value.npos)
    return value.substr(1, value.size() - 2);
  return value;
}

void WriteArgs(JsonWriter& json, const Trace& trace, Row row) {
  json.Key("args").BeginArray();
  for (const Arg& arg : trace.args_of(row)) {
    json.BeginArray().String(trace.str(arg.key));
    json.String(ValueText(trace, arg)).EndArray();
  }
  const std::string raw = trace.raw_args(row);
  ForEachJsonMember(raw, [&](std::string_view key, std::string_view value) {
    json.BeginArray().String(key).String(Unquoted(value)).EndArray();
    return true;
  });
  json.EndArray();
}

void WriteFacts(JsonWriter& json, const EventTree& tree, Row row) {
  const auto write = [&](const std::vector<EventFact>& facts) {
    for (const EventFact& fact : facts) {
      json.BeginObject().Field("label", fact.label);
      json.Field("value", fact.value).EndObject();
    }
  };
  json.Key("facts").BeginArray();
  write(CallersOf(tree, row));
  write(FactsOf(tree.trace(), row));
  json.EndArray();
}

// Of a thread, of any of its lanes: Python's functions may have their own.
Row ParentOf(const OpenTrace& open, Row row) {
  const bool host = open.tree().thread_of(row) != kNoThread;
  return host ? open.tree().parent(row) : open.trace().nesting().parent[row];
}

void WriteAncestors(JsonWriter& json, const OpenTrace& open, Row row) {
  json.Key("ancestors").BeginArray();
  for (Row at = ParentOf(open, row); at != kNoRow; at = ParentOf(open, at)) {
    json.BeginObject().Field("row", uint64_t{at});
    json.Field("name", NameOf(open, at)).Field("class", ClassOf(open, at));
    json.Field("dur", open.trace().dur_ns()[at]).EndObject();
  }
  json.EndArray();
}

void WriteLaunch(JsonWriter& json, const OpenTrace& open, Row row) {
  json.Key("launch");
  const Row launch = LaunchOf(open.tree(), row);
  if (launch == kNoRow) {
    json.Null();
    return;
  }
  json.BeginObject();
  WriteEventPlace(json, open, launch);
  WriteAncestors(json, open, launch);
  // As the table of launches has it: from the end of the call.
  const int64_t delay =
      open.trace().start_ns()[row] - open.trace().end_ns(launch);
  json.Field("delay", std::max<int64_t>(delay, 0)).EndObject();
}

void WriteRow(JsonWriter& json, std::string_view key, Row row) {
  json.Key(key);
  if (row == kNoRow)
    json.Null();
  else
    json.UInt(row);
}

// How long nothing went on before, on a stream.
void WriteIdleBefore(JsonWriter& json, const OpenTrace& open, Row row,
                     Row previous) {
  const Trace& trace = open.trace();
  json.Key("idle_before");
  if (trace.tracks()[trace.track()[row]].kind != TrackKind::kStream ||
      previous == kNoRow)
    json.Null();
  else
    json.Int(trace.start_ns()[row] - trace.end_ns(previous));
}

void WriteFlags(JsonWriter& json, uint16_t flags) {
  json.Key("flags").BeginArray();
  if ((flags & kEventInstant) != 0) json.String("instant");
  if ((flags & kEventOpenAtEnd) != 0) json.String("open");
  if ((flags & kEventNameClipped) != 0) json.String("clipped");
  if ((flags & kEventInferred) != 0) json.String("inferred");
  json.EndArray();
}

// Its step, and where in that step it begins; work that begins after its step
// has no such place.
void WriteStep(JsonWriter& json, const Trace& trace, Row row,
               const StepInterval* step) {
  json.Key("step");
  if (step == nullptr) {
    json.Null().Key("in_step").Null();
    return;
  }
  const int64_t start = trace.start_ns()[row];
  json.Int(step->index).Key("in_step");
  if (start >= step->range.begin && start < step->range.end)
    json.Int(start - step->range.begin);
  else
    json.Null();
}

}  // namespace

void WriteEventPlace(JsonWriter& json, const OpenTrace& open, Row row) {
  const Trace& trace = open.trace();
  const ViewTracks::Place place = open.view().PlaceOf(trace, row);
  json.Field("row", uint64_t{row}).Field("name", NameOf(open, row));
  json.Field("class", ClassOf(open, row));
  json.Field("track", uint64_t{place.track});
  json.Field("depth", uint64_t{place.depth});
  json.Field("start", StartOf(open, row)).Field("dur", trace.dur_ns()[row]);
}

std::string EventJson(const OpenTrace& open, Row row) {
  const Trace& trace = open.trace();
  const EventTree& tree = open.tree();
  JsonWriter json;
  json.BeginObject();
  WriteEventPlace(json, open, row);
  json.Field("name_id", uint64_t{trace.name()[row].v});
  json.Field("type", EventTypeName(trace.type()[row]));
  WriteFlags(json, trace.flags()[row]);
  const bool host = tree.thread_of(row) != kNoThread;
  json.Field("self", host ? tree.self_ns(row) : trace.self_ns()[row]);
  json.Field("gpu", host ? tree.gpu_ns(row) : int64_t{0});
  WriteStep(json, trace, row, StepOf(open, row));
  WriteIterationOf(json, open, row);
  WriteFacts(json, tree, row);
  WriteArgs(json, trace, row);
  WriteAncestors(json, open, row);
  json.Field("children", CountChildren(trace, row, kMostChildren));
  WriteLaunch(json, open, row);
  const LaunchedWork launched = LaunchedBy(tree, row, kMostListed);
  json.Field("launched_count", launched.count);
  json.Key("launched").BeginArray();
  for (const Row work : launched.rows) {
    json.BeginObject();
    WriteEventPlace(json, open, work);
    json.EndObject();
  }
  json.EndArray().Key("flows").BeginArray();
  for (const Arrow& arrow : ArrowsOf(trace, row, kMostListed)) {
    json.BeginObject();
    WriteEventPlace(json, open, arrow.row);
    json.Field("out", arrow.out).EndObject();
  }
  json.EndArray();
  const Row previous = PreviousOnLine(trace, row);
  WriteRow(json, "previous", previous);
  WriteRow(json, "next", NextOnLine(trace, row));
  WriteRow(json, "parent", trace.nesting().parent[row]);
  const bool has_child =
      row + 1 < trace.size() && trace.nesting().parent[row + 1] == row;
  WriteRow(json, "first_child", has_child ? row + 1 : kNoRow);
  WriteIdleBefore(json, open, row, previous);
  json.Key("same_name");
  WriteSameName(json, open, row);
  json.EndObject();
  return json.Take();
}

}  // namespace stepscope::server
