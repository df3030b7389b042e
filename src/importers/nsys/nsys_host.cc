// SPDX-License-Identifier: Apache-2.0
//
// The part of NsysReader that reads what happened on the host, and counters.
#include <stepscope/c.h>

#include "importers/nsys/nsys_reader.h"

namespace stepscope::nsys {
namespace {

// NVTX_EVENTS.eventType.
constexpr int64_t kCategory = 33;
constexpr int64_t kMark = 34;
constexpr int64_t kThreadName = 39;
constexpr int64_t kPushPop = 59;
constexpr int64_t kStartEnd = 60;
constexpr int64_t kDomainCreate = 75;
constexpr int64_t kDomainDestroy = 76;

struct TypeAndFlags {
  uint16_t type;
  uint16_t flags;
};

// What a range is by its name and domain. Stages that torch annotates by
// itself are taken for the program's.
TypeAndFlags RangeType(const NvtxText& text, std::string_view domain) {
  const auto starts = [&](std::string_view prefix) {
    return text.name.starts_with(prefix);
  };
  if (domain == "NCCL") return {STEPSCOPE_COMMUNICATION, 0};
  if (starts("ProfilerStep#") || starts("ProfileStep#"))
    return {STEPSCOPE_PROFILE_STEP, 0};
  if (starts("enumerate(DataLoader)#"))
    return {STEPSCOPE_DATALOADER, kEventInferred};
  if (starts("Optimizer.step#"))
    return {STEPSCOPE_OPTIMIZATION, kEventInferred};
  if (starts("Optimizer.zero_grad#")) return {STEPSCOPE_USER_DEFINED, 0};
  if (text.of_operator || starts("aten::")) return {STEPSCOPE_OPERATOR, 0};
  return {STEPSCOPE_USER_DEFINED, 0};
}

}  // namespace

void NsysReader::ReadNvtx() {
  const std::vector<std::string_view> columns = {
      "start",   "end",      "eventType",    "text",     "textId", "globalTid",
      "rangeId", "category", "endGlobalTid", "domainId", "color"};
  std::map<std::pair<int64_t, int64_t>, StringId> domains;  // process, id
  Query names = database_.Select("NVTX_EVENTS", columns);
  const auto text_of = [&](const Query& query) {
    return query.IsNull(3) ? Name(query.Int(4))
                           : builder_.Intern(query.Text(3));
  };
  while (names.Next()) {
    if (names.Int(2) == kDomainCreate)
      domains[{Process(names.Int(5)), names.Int(9)}] = text_of(names);
    if (names.Int(2) == kThreadName)
      builder_.track(Thread(names.Int(5))).name = text_of(names);
  }

  Query query = database_.Select("NVTX_EVENTS", columns);
  while (query.Next()) {
    const int64_t kind = query.Int(2);
    if (kind == kCategory || kind == kThreadName || kind == kDomainCreate ||
        kind == kDomainDestroy) {
      builder_.ledger().Keep();  // names, which are where they belong
      continue;
    }
    if (kind != kMark && kind != kPushPop && kind != kStartEnd) {
      builder_.ledger().Reject("unknown NVTX event type",
                               static_cast<uint64_t>(query.Int(11)));
      continue;
    }
    const auto domain = domains.find({Process(query.Int(5)), query.Int(9)});
    const std::string_view domain_name =
        domain == domains.end() ? std::string_view()
                                : builder_.strings().view(domain->second);
    RowEvent event;
    event.start_ns = query.Int(0);
    event.end_ns = query.Int(1);
    event.ended = kind != kMark && !query.IsNull(1);
    const NvtxText text = ParseNvtxText(
        query.IsNull(3) ? builder_.strings().view(Name(query.Int(4)))
                        : query.Text(3));
    const auto [type, flags] = RangeType(text, domain_name);
    event.type = type;
    event.rowid = query.Int(11);
    // Started and ended anywhere, these do not nest with what is pushed.
    event.track = kind == kStartEnd
                      ? FindTrack(Process(query.Int(5)), TrackKind::kAsync, -1,
                                  query.Int(9))
                      : Thread(query.Int(5));
    event.name = builder_.Intern(text.name);
    const Row row = Add(event);
    if (row == kNoRow) continue;
    builder_.AddFlags(row, flags);
    AddCall(row, text);
    if (!domain_name.empty()) builder_.AddText(row, "domain", domain_name);
    if (!query.IsNull(7) && query.Int(7) != 0)
      AddIfSet(row, query, 7, "category");
    if (kind != kMark && !event.ended) builder_.AddFlags(row, kEventOpenAtEnd);
  }
  Ends(query, "NVTX_EVENTS");
}

// Which call of its operator a range is.
void NsysReader::AddCall(Row row, const NvtxText& text) {
  if (text.sequence && *text.sequence >= 0)
    builder_.AddLink({builder_.track(builder_.track_of(row)).process,
                      LinkSpace::kSequence,
                      static_cast<uint64_t>(*text.sequence), row});
  if (text.op_id) builder_.AddInt(row, "op_id", *text.op_id);
  if (!text.sizes.empty()) {
    Arg arg;
    arg.row = row;
    arg.kind = ArgKind::kJson;
    arg.key = builder_.Intern("Input Dims");
    arg.text = builder_.Intern(text.sizes);
    builder_.AddArg(arg);
  }
  if (!text.input_op_ids.empty())
    builder_.AddText(row, "input_op_ids", text.input_op_ids);
}

void NsysReader::ReadRanges(std::string_view table, uint16_t type,
                            std::string_view source) {
  Query query =
      database_.Select(table, {"start", "end", "nameId", "globalTid"});
  while (query.Next()) {
    RowEvent event;
    event.start_ns = query.Int(0);
    event.end_ns = query.Int(1);
    event.name = Name(query.Int(2));
    event.track = Thread(query.Int(3));
    event.type = type;
    event.rowid = query.Int(4);
    const Row row = Add(event);
    if (row != kNoRow && !source.empty())
      builder_.AddText(row, "source", source);
  }
  Ends(query, table);
}

void NsysReader::ReadGpuMetrics() {
  std::map<std::pair<int64_t, int64_t>, StringId> metrics;
  Query info = database_.Select("TARGET_INFO_GPU_METRICS",
                                {"typeId", "metricId", "metricName"});
  while (info.Next())
    metrics[{info.Int(0), info.Int(1)}] = builder_.Intern(info.Text(2));
  Query query = database_.Select("GPU_METRICS",
                                 {"timestamp", "typeId", "metricId", "value"});
  std::map<std::pair<int64_t, int64_t>, uint32_t> tracks;
  while (query.Next()) {
    CounterSample sample;
    if (__builtin_add_overflow(query.Int(0), offset_ns_, &sample.time_ns)) {
      builder_.ledger().Reject("time out of range",
                               static_cast<uint64_t>(query.Int(4)));
      continue;
    }
    const std::pair key = {query.Int(1), query.Int(2)};
    const auto [it, fresh] = tracks.try_emplace(key, 0u);
    if (fresh) {
      Track track;
      // Of the machine; the first process stands for it.
      track.process = processes_.empty() ? Process(0) : 0;
      track.kind = TrackKind::kCounter;
      track.id = query.Int(2);
      track.name = metrics[key];
      it->second = builder_.AddTrack(track);
    }
    sample.track = it->second;
    sample.integer = true;
    sample.int_value = query.Int(3);
    sample.value = static_cast<double>(query.Int(3));
    builder_.AddCounter(sample);
    builder_.ledger().Keep();
  }
  Ends(query, "GPU_METRICS");
}

}  // namespace stepscope::nsys
