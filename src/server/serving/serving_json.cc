// SPDX-License-Identifier: Apache-2.0
#include "server/serving/serving_json.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/moments.h"
#include "analysis/tables/all_tables.h"
#include "report/view_table_json.h"
#include "server/serving/latencies.h"

namespace stepscope::server {
namespace {

// Columns of rows inside a row, as `summary` has them.
const std::vector<TableColumn>& ColumnsInside(std::string_view table,
                                              std::string_view list) {
  for (const TableColumn& column : FindTable(table)->columns)
    if (column.name == list) return column.columns;
  static const std::vector<TableColumn> kNone;
  return kNone;
}

void WriteTableOf(JsonWriter& json, std::string_view key, const OpenTrace& open,
                  const std::vector<TableColumn>& columns, const RowList& rows,
                  size_t most = SIZE_MAX) {
  json.Key(key).BeginObject();
  WriteFlatTable(json, WithMomentsFrom(open.origin_ns(), columns), rows, most);
  json.EndObject();
}

void WriteOptional(JsonWriter& json, const std::optional<int64_t>& value) {
  if (value)
    json.Int(*value);
  else
    json.Null();
}

// What is known of the time in which there was something of a request.
Interval WholeOf(const IterationTable& iterations, const RequestRow& request) {
  Interval whole = {INT64_MAX, INT64_MIN};
  const auto add = [&](std::optional<int64_t> time) {
    if (!time) return;
    whole.begin = std::min(whole.begin, *time);
    whole.end = std::max(whole.end, *time);
  };
  for (const auto& time :
       {request.arrival_ns, request.first_iteration_ns, request.first_token_ns,
        request.last_token_ns, request.end_ns})
    add(time);
  for (const RequestIteration& one : request.iterations) {
    add(one.end_ns);
    add(iterations.list[one.index].device_end_ns);
  }
  return whole.begin <= whole.end ? whole : Interval{0, 0};
}

// Where there are iterations or requests, as far as it was recorded.
Interval WholeOf(const OpenTrace& open) {
  const Serving& serving = *open.serving();
  Interval whole = {INT64_MAX, INT64_MIN};
  const auto add = [&](const Interval& one) {
    whole.begin = std::min(whole.begin, one.begin);
    whole.end = std::max(whole.end, one.end);
  };
  for (const IterationRow& one : serving.iterations().list)
    add({one.start_ns,
         std::max(Serving::EndOf(one), one.device_end_ns.value_or(INT64_MIN))});
  for (const RequestRow& one : serving.requests().list)
    add(WholeOf(serving.iterations(), one));
  const Interval recorded = {open.origin_ns(),
                             SaturatingAdd(open.origin_ns(), open.span_ns())};
  return {std::clamp(whole.begin, recorded.begin, recorded.end),
          std::clamp(whole.end, recorded.begin, recorded.end)};
}

// A row of "iterations" of a request, or of "members" of an iteration.
struct MemberRow {
  uint32_t iteration = 0;
  uint32_t request = 0;
  std::string_view id;
  IterationKind kind = IterationKind::kUnknown;
  int64_t tokens = 0;
  int64_t start = 0;
  int64_t gpu_ns = 0;
};

MemberRow RowOfMember(const OpenTrace& open, Serving::Member member,
                      BillRule bill) {
  const RequestRow& request =
      open.serving()->requests(bill).list[member.request];
  const RequestIteration& one = request.iterations[member.at];
  return {one.index,  member.request, request.id, one.kind,
          one.tokens, one.start_ns,   one.gpu_ns};
}

void AddWhatItDid(ColumnsOf<MemberRow>& columns) {
  columns.Text("kind", "what the iteration did for the request",
               [](const MemberRow& part) { return NameOf(part.kind); });
  columns.Count("tokens", "tokens of the request that it worked on",
                &MemberRow::tokens);
  columns.Time("gpu_ns", Adds::kSum, "the request's share of its device time",
               &MemberRow::gpu_ns);
}

const std::vector<TableColumn>& IterationColumns() {
  static const std::vector<TableColumn> kColumns = [] {
    ColumnsOf<MemberRow> columns;
    columns.Count("iteration", "its number, by time, from 0",
                  &MemberRow::iteration);
    columns.Moment("start_ns", "begin of its mark", &MemberRow::start);
    AddWhatItDid(columns);
    return columns.Take();
  }();
  return kColumns;
}

const std::vector<TableColumn>& MemberColumns() {
  static const std::vector<TableColumn> kColumns = [] {
    ColumnsOf<MemberRow> columns;
    columns.Count("request", "its number, by arrival, from 0",
                  &MemberRow::request);
    columns.Text("id", "as the server calls it; empty: not recorded",
                 &MemberRow::id);
    AddWhatItDid(columns);
    return columns.Take();
  }();
  return kColumns;
}

// Begin and length of each phase of requests, as columns.
void WritePhases(JsonWriter& json, const OpenTrace& open, size_t count) {
  const std::vector<RequestRow>& list = open.serving()->requests().list;
  const auto write = [&](std::string_view name, auto phase_of) {
    json.Key(name).BeginArray();
    for (size_t i = 0; i < count; ++i) {
      const std::optional<Interval> phase = phase_of(list[i]);
      WriteOptional(json, phase ? std::optional(SaturatingSubtract(
                                      phase->begin, open.origin_ns()))
                                : std::nullopt);
    }
    json.EndArray().Key(std::string(name) + "_dur").BeginArray();
    for (size_t i = 0; i < count; ++i) {
      const std::optional<Interval> phase = phase_of(list[i]);
      WriteOptional(json, phase ? std::optional(SaturatingSubtract(
                                      phase->end, phase->begin))
                                : std::nullopt);
    }
    json.EndArray();
  };
  write("queue", [](const RequestRow& one) { return one.queue(); });
  write("prefill", [](const RequestRow& one) { return one.prefill(); });
  write("decode", [](const RequestRow& one) { return one.decode(); });
}

}  // namespace

std::string ServingJson(const OpenTrace& open) {
  const Serving& serving = *open.serving();
  const IterationTable& iterations = serving.iterations();
  JsonWriter json;
  json.BeginObject().Field("engine", iterations.engine);
  json.Field("concluded", iterations.concluded ? iterations.rule : "");
  json.Field("iterations", uint64_t{iterations.list.size()});
  json.Field("requests", uint64_t{serving.request_count()});
  const Interval whole = WholeOf(open);
  json.Field("start", whole.begin - open.origin_ns());
  json.Field("dur", whole.end - whole.begin);
  json.Key("bills").BeginArray();
  for (size_t i = 0; i < kBillRules; ++i) {
    const BillLook& look = LookOf(static_cast<BillRule>(i));
    json.BeginObject().Field("name", look.name).Field("title", look.title);
    json.Field("meaning", look.meaning).EndObject();
  }
  json.EndArray();
  json.Field("busy_ns", iterations.total_busy_ns);
  WriteTableOf(json, "kinds", open, ColumnsInside("iterations", "kinds"),
               RowList::Of(iterations.kinds));
  WriteLatencies(json, serving);
  json.EndObject();
  return json.Take();
}

std::string RequestsJson(const OpenTrace& open, BillRule bill, size_t most) {
  const std::vector<RequestRow>& list = open.serving()->requests(bill).list;
  const size_t shown = std::min(list.size(), most);
  JsonWriter json;
  json.BeginObject().Field("count", uint64_t{list.size()});
  WriteTableOf(json, "table", open, ColumnsInside("requests", "list"),
               RowList::Of(list), shown);
  WritePhases(json, open, shown);
  json.EndObject();
  return json.Take();
}

std::string IterationJson(const OpenTrace& open, uint32_t index,
                          BillRule bill) {
  const Serving& serving = *open.serving();
  const IterationRow& one = serving.iterations().list[index];
  const auto members = serving.MembersOf(index);
  std::vector<MemberRow> parts;
  for (const Serving::Member& member :
       members.first(std::min(members.size(), kMostMembers)))
    parts.push_back(RowOfMember(open, member, bill));
  JsonWriter json;
  json.BeginObject().Field("index", uint64_t{index});
  json.Field("kind", NameOf(one.mark.kind)).Field("row", uint64_t{one.row});
  json.Field("start", one.start_ns - open.origin_ns());
  json.Field("dur", one.host_ns);
  const int64_t end = SaturatingAdd(one.start_ns, one.host_ns);
  json.Field("until",
             std::max(end, one.device_end_ns.value_or(end)) - open.origin_ns());
  WriteTableOf(json, "cells", open, ColumnsInside("iterations", "list"),
               RowList::One(one));
  json.Field("member_count", uint64_t{members.size()});
  WriteTableOf(json, "members", open, MemberColumns(), RowList::Of(parts));
  json.EndObject();
  return json.Take();
}

std::string RequestJson(const OpenTrace& open, uint32_t index, BillRule bill) {
  const Serving& serving = *open.serving();
  const RequestRow& request = serving.requests(bill).list[index];
  const size_t count = request.iterations.size();
  std::vector<MemberRow> parts;
  for (uint32_t at = 0; at < std::min(count, kMostIterationsOfRequest); ++at)
    parts.push_back(RowOfMember(open, {index, at}, bill));
  const Interval whole = WholeOf(serving.iterations(), request);
  JsonWriter json;
  json.BeginObject().Field("index", uint64_t{index}).Field("id", request.id);
  json.Field("start", SaturatingSubtract(whole.begin, open.origin_ns()));
  json.Field("dur", SaturatingSubtract(whole.end, whole.begin));
  WriteTableOf(json, "cells", open, ColumnsInside("requests", "list"),
               RowList::One(request));
  json.Field("iteration_count", uint64_t{count});
  WriteTableOf(json, "iterations", open, IterationColumns(),
               RowList::Of(parts));
  json.EndObject();
  return json.Take();
}

std::string ServesJson(const OpenTrace& open) {
  const Serving* const serving = open.serving();
  const IterationTable none;
  const IterationTable& iterations =
      serving != nullptr ? serving->iterations() : none;
  std::set<uint32_t> groups;
  for (const IterationRow& one : iterations.list)
    if (const auto group = GroupOf(open, one)) groups.insert(*group);
  JsonWriter json;
  json.BeginObject().Field("count", uint64_t{iterations.list.size()});
  json.Field("requests",
             uint64_t{serving != nullptr ? serving->request_count() : 0});
  json.Key("kinds").BeginArray();
  for (const IterationKindRow& row : iterations.kinds)
    json.String(NameOf(row.kind));
  json.EndArray().Key("groups").BeginArray();
  for (const uint32_t group : groups) json.UInt(group);
  json.EndArray().Field("concluded", iterations.concluded).EndObject();
  return json.Take();
}

void WriteIterationOf(JsonWriter& json, const OpenTrace& open, Row row) {
  const Serving* const serving = open.serving();
  const std::optional<uint32_t> index =
      serving == nullptr ? std::nullopt : serving->IterationOf(row);
  json.Key("iteration");
  if (!index) {
    json.Null();
    return;
  }
  const IterationRow& one = serving->iterations().list[*index];
  const auto members = serving->MembersOf(*index);
  json.BeginObject().Field("index", uint64_t{*index});
  json.Field("kind", NameOf(one.mark.kind)).Field("row", uint64_t{one.row});
  json.Field("member_count", uint64_t{members.size()});
  json.Key("members").BeginArray();
  for (const Serving::Member& member :
       members.first(std::min(members.size(), kMostMembersOfEvent))) {
    const RequestRow& request = serving->requests().list[member.request];
    json.BeginObject().Field("index", uint64_t{member.request});
    json.Field("id", request.id).EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace stepscope::server
