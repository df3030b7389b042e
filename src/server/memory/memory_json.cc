// SPDX-License-Identifier: Apache-2.0
#include "server/memory/memory_json.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "analysis/process_name.h"
#include "analysis/tables/accountable.h"
#include "analysis/views/memory_held.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "report/view_table_json.h"
#include "server/memory/memory_map.h"

namespace stepscope::server {
namespace {

static_assert(std::endian::native == std::endian::little,
              "records are sent as they lie in memory");

constexpr int64_t kMostTime = INT64_MAX / 4;
// More ranges than a screen can show are not told apart.
constexpr size_t kMostRanges = 4096;
constexpr int64_t kMostCells = 4096;  // in a row or a column

struct BoxesHeader {
  char magic[4] = {'S', 'S', 'M', 'B'};
  uint32_t version = 1;
  uint32_t rects = 0;
  uint32_t runs = 0;
};
static_assert(sizeof(BoxesHeader) == 16);

Result<const MemoryMap*> MapOf(const OpenTrace& open,
                               const Parameters& parameters) {
  const auto& maps = open.memory_maps();
  if (maps.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "the trace has no allocations with addresses");
  STEPSCOPE_TRY_ASSIGN(
      const int64_t place,
      parameters.Integer("place", 0, 0, static_cast<int64_t>(maps.size()) - 1));
  return maps[static_cast<size_t>(place)].get();
}

Result<MemoryBy> ByOf(const Parameters& parameters) {
  const std::string text = parameters.Text("by");
  if (text.empty()) return MemoryBy::kOperator;
  const auto by = ParseMemoryBy(text);
  if (!by)
    return Fail(ErrorCode::kInvalidArgument,
                "by: expected operator, module, line or category");
  return *by;
}

Result<Interval> TimesOf(const OpenTrace& open, const Parameters& parameters) {
  const int64_t origin = open.origin_ns();
  Interval range;
  STEPSCOPE_TRY_ASSIGN(range.begin,
                       parameters.Integer("t0", 0, -kMostTime, kMostTime));
  STEPSCOPE_TRY_ASSIGN(range.end, parameters.Integer("t1", open.span_ns() + 1,
                                                     range.begin, kMostTime));
  return Interval{range.begin + origin, range.end + origin};
}

// An event of the account: by number, by time, or else the peak's.
Result<size_t> EventOf(const OpenTrace& open, const MemoryMap& map,
                       const Parameters& parameters, const char* name,
                       const char* time_name) {
  const auto events = static_cast<int64_t>(open.trace().memory().size());
  if (parameters.has(name)) {
    STEPSCOPE_TRY_ASSIGN(const int64_t event,
                         parameters.Integer(name, std::nullopt, 0, events - 1));
    return static_cast<size_t>(event);
  }
  if (parameters.has(time_name)) {
    STEPSCOPE_TRY_ASSIGN(
        const int64_t time,
        parameters.Integer(time_name, std::nullopt, -kMostTime, kMostTime));
    return map.EventAt(time + open.origin_ns());
  }
  return map.EventOf(map.groups(MemoryBy::kOperator).area->Peak().change);
}

void WriteEvent(JsonWriter& json, size_t event) {
  if (event == SIZE_MAX)
    json.Null();
  else
    json.Int(static_cast<int64_t>(event));
}

void WritePlace(JsonWriter& json, const OpenTrace& open, const MemoryMap& map,
                size_t id) {
  const Trace& trace = open.trace();
  const MemoryAccount& account = map.account();
  const StackedArea::Sample peak = map.groups(MemoryBy::kOperator).area->Peak();
  int64_t most = 0;
  for (const int64_t bytes : peak.held) most += bytes;
  json.BeginObject().Field("id", static_cast<int64_t>(id));
  json.Field("place", trace.str(account.place));
  json.Field("process", NameAmongSeveral(trace, account.process));
  json.Field("pid",
             static_cast<int64_t>(trace.processes()[account.process].pid));
  json.Field("allocations", static_cast<int64_t>(account.allocations.size()));
  json.Field("bytes", static_cast<int64_t>(map.bytes()));
  json.Field("unit", static_cast<int64_t>(map.pyramid().unit_bytes()));
  json.Field("peak_bytes", most).Key("peak_event");
  WriteEvent(json, map.EventOf(peak.change));
  json.Field("peak_at", peak.time_ns - open.origin_ns());
  const Interval most_events = map.MostEvents();
  json.Field("most_from", most_events.begin - open.origin_ns());
  json.Field("most_to", most_events.end - open.origin_ns());
  json.Key("ranges").BeginArray();
  const size_t shown = std::min(map.ranges().size(), kMostRanges);
  for (size_t i = 0; i < shown; ++i) {
    const AddressRange& range = map.ranges()[i];
    json.BeginArray().Int(static_cast<int64_t>(range.at));
    json.Int(static_cast<int64_t>(range.bytes));
    json.String(
        Format("0x%llx", static_cast<unsigned long long>(range.address)));
    json.EndArray();
  }
  json.EndArray().EndObject();
}

void WriteWho(JsonWriter& json, const EventTree& tree, const char* key,
              const MemoryOwner& owner) {
  json.Key(key).BeginObject();
  json.Field("name", OwnerText(tree, owner, MemoryBy::kOperator));
  json.Field("module", OwnerText(tree, owner, MemoryBy::kModule));
  json.Field("line", OwnerText(tree, owner, MemoryBy::kLine));
  json.Key("row");
  if (owner.row == kNoRow)
    json.Null();
  else
    json.Int(owner.row);
  json.Key("frames").BeginArray();
  for (const std::string& frame : FramesOf(tree.trace(), owner.stack))
    json.String(frame);
  json.EndArray().EndObject();
}

}  // namespace

Result<std::string> MemoryPlacesJson(const OpenTrace& open) {
  JsonWriter json;
  json.BeginObject().Key("places").BeginArray();
  const auto& maps = open.memory_maps();
  for (size_t i = 0; i < maps.size(); ++i) WritePlace(json, open, *maps[i], i);
  json.EndArray().EndObject();
  return json.Take();
}

Result<std::string> MemoryAreaJson(const OpenTrace& open,
                                   const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const MemoryMap* const map, MapOf(open, parameters));
  STEPSCOPE_TRY_ASSIGN(const MemoryBy by, ByOf(parameters));
  STEPSCOPE_TRY_ASSIGN(const Interval times, TimesOf(open, parameters));
  STEPSCOPE_TRY_ASSIGN(const int64_t pixels,
                       parameters.Integer("px", 1000, 1, kMostCells));
  const MemoryGroups& groups = map->groups(by);
  const auto samples =
      groups.area->Draw(times.begin, times.end, static_cast<uint32_t>(pixels));
  JsonWriter json;
  json.BeginObject().Key("groups").BeginArray();
  for (const std::string& name : groups.names) json.String(name);
  json.EndArray().Key("t").BeginArray();
  for (const auto& sample : samples)
    json.Int(sample.time_ns - open.origin_ns());
  json.EndArray().Key("event").BeginArray();
  for (const auto& sample : samples)
    WriteEvent(json, map->EventOf(sample.change));
  json.EndArray().Key("held").BeginArray();
  for (size_t group = 0; group < groups.names.size(); ++group) {
    json.BeginArray();
    for (const auto& sample : samples) json.Int(sample.held[group]);
    json.EndArray();
  }
  json.EndArray().EndObject();
  return json.Take();
}

Result<std::string> MemoryBoxes(const OpenTrace& open,
                                const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const MemoryMap* const map, MapOf(open, parameters));
  STEPSCOPE_TRY_ASSIGN(const MemoryBy by, ByOf(parameters));
  STEPSCOPE_TRY_ASSIGN(const Interval times, TimesOf(open, parameters));
  const auto all = static_cast<int64_t>(map->bytes());
  STEPSCOPE_TRY_ASSIGN(const int64_t low, parameters.Integer("low", 0, 0, all));
  STEPSCOPE_TRY_ASSIGN(const int64_t high,
                       parameters.Integer("high", all, low, all));
  STEPSCOPE_TRY_ASSIGN(const int64_t columns,
                       parameters.Integer("px", 1000, 1, kMostCells));
  STEPSCOPE_TRY_ASSIGN(const int64_t rows,
                       parameters.Integer("py", 400, 1, kMostCells));
  const MemoryPicture picture = map->pyramid().Draw(
      {times.begin, times.end, static_cast<uint64_t>(low),
       static_cast<uint64_t>(high), static_cast<uint32_t>(columns),
       static_cast<uint32_t>(rows)},
      map->groups(by).of_owner);
  BoxesHeader header;
  header.rects = static_cast<uint32_t>(picture.rects.size());
  header.runs = static_cast<uint32_t>(picture.runs.size());
  std::string bytes;
  bytes.reserve(sizeof header + picture.rects.size() * sizeof(MemoryRect) +
                picture.runs.size() * sizeof(MemoryRun));
  bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
  const auto origin = static_cast<double>(open.origin_ns());
  for (MemoryRect rect : picture.rects) {
    rect.begin_ns -= origin;
    rect.end_ns -= origin;
    bytes.append(reinterpret_cast<const char*>(&rect), sizeof rect);
  }
  bytes.append(reinterpret_cast<const char*>(picture.runs.data()),
               picture.runs.size() * sizeof(MemoryRun));
  return bytes;
}

Result<std::string> MemoryBoxJson(const OpenTrace& open,
                                  const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const MemoryMap* const map, MapOf(open, parameters));
  const MemoryAccount& account = map->account();
  STEPSCOPE_TRY_ASSIGN(
      const int64_t id,
      parameters.Integer("id", std::nullopt, 0,
                         static_cast<int64_t>(account.allocations.size()) - 1));
  const Trace& trace = open.trace();
  const BlockLife& life = account.allocations[static_cast<size_t>(id)];
  const MemoryEvent made = trace.memory()[life.made];
  const MemoryOwner& owner =
      account.owners[account.owner_of[static_cast<size_t>(id)]];
  JsonWriter json;
  json.BeginObject().Field("id", id);
  json.Field("address",
             Format("0x%llx", static_cast<unsigned long long>(made.address)));
  json.Field("bytes", made.bytes);
  json.Field("padding_bytes", made.padding_bytes);
  json.Field("begin", made.time_ns - open.origin_ns()).Key("end");
  const bool freed = life.freed != BlockLife::kNever;
  if (freed)
    json.Int(trace.memory()[life.freed].time_ns - open.origin_ns());
  else
    json.Null();
  json.Field("event", static_cast<int64_t>(life.made));
  json.Field("category", MemoryCategoryName(owner.category));
  json.Field("found", WasFound(trace, made));
  WriteWho(json, open.tree(), "allocated_by", owner);
  json.Key("freed_by");
  if (freed) {
    Accountable accountable(open.tree());
    json.String(
        OwnerName(trace, accountable.Of(trace.memory()[life.freed].owner)));
  } else {
    json.Null();
  }
  json.EndObject();
  return json.Take();
}

Result<std::string> MemoryHeldJson(const OpenTrace& open,
                                   const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const MemoryMap* const map, MapOf(open, parameters));
  HeldQuery query;
  STEPSCOPE_TRY_ASSIGN(query.event,
                       EventOf(open, *map, parameters, "event", "at"));
  const bool compares =
      parameters.has("other_event") || parameters.has("other_at");
  if (compares) {
    STEPSCOPE_TRY_ASSIGN(query.other, EventOf(open, *map, parameters,
                                              "other_event", "other_at"));
  }
  // Before the first event nothing is held.
  if (query.event == SIZE_MAX || query.other.value_or(0) == SIZE_MAX)
    return Fail(ErrorCode::kInvalidArgument,
                "at: nothing was allocated then yet");
  HeldTable table = ComputeHeldTable(open.tree(), map->account(), query);
  const MemoryTable& memory = open.trace().memory();
  const auto add = [&](std::string_view event_key, std::string_view time_key,
                       size_t event) {
    table.rows.facts.push_back({event_key, static_cast<int64_t>(event)});
    table.rows.facts.push_back(
        {time_key, memory.stored()[event].time_ns - open.origin_ns()});
  };
  add("event", "at", query.event);
  if (query.other) add("other_event", "other_at", *query.other);
  return FlatTableJson(table.columns, table.rows);
}

}  // namespace stepscope::server
