// SPDX-License-Identifier: Apache-2.0
//
// The part of XSpace that reads events: what they are, their arguments, links
// and memory.
#include <stepscope/c.h>

#include <charconv>

#include "importers/proto/xplane_fields.h"
#include "importers/proto/xspace.h"

namespace stepscope::proto {
namespace {

using namespace xplane;  // NOLINT: field numbers only
using Kind = StatValue::Kind;

int64_t FloorToNs(int64_t ps) { return ps / 1000 - (ps % 1000 < 0 ? 1 : 0); }

// One "key:value" of a details text, taken off its front.
bool TakePair(std::string_view& text, std::string_view* key,
              std::string_view* value) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view pair = text.substr(0, end);
  text.remove_prefix(end);
  const size_t colon = pair.find(':');
  if (colon == pair.npos) return false;
  *key = pair.substr(0, colon);
  *value = pair.substr(colon + 1);
  return true;
}

template <typename T>
bool Parse(std::string_view text, T* out) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseTriple(std::string_view text, int64_t (&out)[3]) {
  for (int64_t& value : out) {
    const size_t comma = std::min(text.find(','), text.size());
    if (!Parse(text.substr(0, comma), &value)) return false;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return text.empty();
}

}  // namespace

// What the stats of one event say beside being arguments.
struct XSpace::Facts {
  uint64_t correlation = 0;
  bool has_correlation = false;
  bool step = false;
  bool kernel = false;
  bool copy = false;
  bool set = false;
  bool framework_op = false;
  uint64_t producer_type = 0;
  uint64_t consumer_type = 0;
  uint64_t producer = 0;
  uint64_t consumer = 0;
  bool has_producer = false;
  bool has_consumer = false;
  StringId allocator;
  uint64_t reserved = 0;
  uint64_t allocated = 0;
  uint64_t bytes = 0;
  uint64_t address = 0;

  void Take(const StatValue& value) {
    switch (value.stat->known) {
      case KnownStat::kOther:
      case KnownStat::kStepName:
        break;
      case KnownStat::kCorrelation:
        correlation = value.number;
        has_correlation = true;
        break;
      case KnownStat::kStepNumber:
        step = true;
        break;
      case KnownStat::kKernelDetails:
        kernel = true;
        break;
      case KnownStat::kMemcpyDetails:
        copy = true;
        break;
      case KnownStat::kMemsetDetails:
        set = true;
        break;
      case KnownStat::kHloOp:
      case KnownStat::kTfOp:
        framework_op = true;
        break;
      case KnownStat::kProducerType:
        producer_type = value.number;
        break;
      case KnownStat::kProducerId:
        producer = value.number;
        has_producer = true;
        break;
      case KnownStat::kConsumerType:
        consumer_type = value.number;
        break;
      case KnownStat::kConsumerId:
        consumer = value.number;
        has_consumer = true;
        break;
      case KnownStat::kAllocator:
        allocator = value.text;
        break;
      case KnownStat::kBytesReserved:
        reserved = value.number;
        break;
      case KnownStat::kBytesAllocated:
        allocated = value.number;
        break;
      case KnownStat::kAllocationBytes:
        bytes = value.number;
        break;
      case KnownStat::kAddress:
        address = value.number;
        break;
    }
  }

  uint16_t Type(LineRole role, std::string_view name, bool two_names) const {
    if (role == LineRole::kDeviceSteps) return STEPSCOPE_PROFILE_STEP;
    if (role == LineRole::kDeviceStream) {
      if (copy || name.starts_with("Memcpy")) return STEPSCOPE_MEMCPY;
      if (set || name.starts_with("Memset")) return STEPSCOPE_MEMSET;
      return STEPSCOPE_KERNEL;
    }
    if (role == LineRole::kDerived) return STEPSCOPE_USER_DEFINED;
    if (has_correlation) return STEPSCOPE_CUDA_RUNTIME;
    if (step) return STEPSCOPE_PROFILE_STEP;
    if (name.starts_with('$')) return STEPSCOPE_PYTHON_FUNCTION;
    return two_names || framework_op ? STEPSCOPE_OPERATOR
                                     : STEPSCOPE_USER_DEFINED;
  }
};

void XSpace::ReadEvent(Bytes event, bool cut, LineInfo& line,
                       const XPlaneTables& tables) {
  EventFields fields;
  stats_.clear();
  bool wrong = false;
  Message message(event);
  while (message.Next()) {
    switch (message.tag()) {
      case kEventMetadataId:
        fields.metadata_id = message.value();
        break;
      case kEventOffset:
        fields.offset_ps = message.sint();
        break;
      case kEventDuration:
        fields.duration_ps = message.sint();
        break;
      case kEventStat: {
        StatValue& value = stats_.emplace_back();
        const auto result = tables.ReadStat(message.bytes(), &value);
        if (result == XPlaneTables::StatResult::kOk) break;
        stats_.pop_back();
        fields.unknown_stat |= result == XPlaneTables::StatResult::kUnknown;
        wrong |= result == XPlaneTables::StatResult::kBroken &&
                 !message.bytes().empty();
        break;
      }
      case kEventOccurrences:
        fields.aggregated = true;
        fields.occurrences = message.sint();
        break;
      default:
        wrong |= message.number() <= kEventOccurrences >> 3;
        break;
    }
  }
  if (out_.RejectIfBroken(message, cut, false, true, event)) return;
  if (wrong) {
    out_.Reject("event with an unreadable field", event.data());
    return;
  }
  AddEvent(fields, event.data(), line, tables);
}

void XSpace::AddEvent(const EventFields& fields, const uint8_t* at,
                      LineInfo& line, const XPlaneTables& tables) {
  static const EventName kUnknown;
  const EventName* name = tables.FindEvent(fields.metadata_id);
  std::string_view repair;
  if (fields.unknown_stat) repair = "stat of no metadata";
  if (name == nullptr) {
    repair = "event of no metadata";
    name = &kUnknown;
  }
  Facts facts;
  for (const StatValue& value : name->stats) facts.Take(value);
  for (const StatValue& value : stats_) facts.Take(value);

  Span span;
  int64_t end_ps = 0;
  if (__builtin_add_overflow(fields.offset_ps, fields.duration_ps, &end_ps) ||
      __builtin_add_overflow(line.timestamp_ns, FloorToNs(fields.offset_ps),
                             &span.start_ns) ||
      __builtin_add_overflow(line.timestamp_ns, FloorToNs(end_ps),
                             &span.end_ns)) {
    out_.Reject(kTimeRange, at);
    return;
  }
  span.name = name->name;
  span.track = name->memory ? MemoryTrack(line) : line.track;
  span.type = facts.Type(line.role, out_.builder().strings().view(name->name),
                         name->whole.v != 0);
  if (fields.duration_ps == 0) span.flags |= kEventInstant;
  if (line.role == LineRole::kDeviceSteps) span.flags |= kEventInferred;
  if (fields.aggregated) {
    // It happened somewhere on the line, so often, for so long in all.
    repair = "aggregated event put at the start of its line";
    span.end_ns = span.start_ns = line.timestamp_ns;
    span.flags |= kEventInstant;
  }
  const Row row = out_.Add(span, at, repair);
  if (row == kNoRow) return;

  TraceBuilder& builder = out_.builder();
  host_steps_ |=
      span.type == STEPSCOPE_PROFILE_STEP && line.role == LineRole::kHostThread;
  if (name == &kUnknown)
    builder.AddInt(row, "metadata_id",
                   static_cast<int64_t>(fields.metadata_id));
  if (name->whole.v != 0)
    builder.AddText(row, "name", builder.strings().view(name->whole));
  if (fields.aggregated) {
    builder.AddInt(row, "num_occurrences", fields.occurrences);
    builder.AddInt(row, "duration_ps", fields.duration_ps);
  }
  for (const StatValue& value : name->stats) AddStat(row, value);
  for (const StatValue& value : stats_) AddStat(row, value);
  if (facts.has_correlation)
    builder.AddLink(
        {process_, LinkSpace::kCorrelation, facts.correlation, row});
  const int64_t time_ns = builder.start_ns(row);
  if (name->memory) AddMemory(facts, *name, time_ns, line.track);
  if (facts.has_producer)
    producers_[{facts.producer_type, facts.producer}] = {row, span.track,
                                                         time_ns};
  if (facts.has_consumer)
    consumers_.push_back(
        {{facts.consumer_type, facts.consumer}, {row, span.track, time_ns}});
}

void XSpace::AddStat(Row row, const StatValue& value) {
  if (value.stat->known == KnownStat::kCorrelation) return;  // is a link
  TraceBuilder& builder = out_.builder();
  if (value.kind == Kind::kText) {
    const std::string_view text = builder.strings().view(value.text);
    if (value.stat->known == KnownStat::kKernelDetails) {
      AddKernelDetails(row, text, value.stat->name);
      return;
    }
    if (value.stat->known == KnownStat::kMemcpyDetails) {
      std::string_view rest = text;
      std::string_view key;
      std::string_view number;
      int64_t bytes = 0;
      while (TakePair(rest, &key, &number))
        if (key == "size" && Parse(number, &bytes))
          builder.AddInt(row, "bytes", bytes);
    }
  }
  Arg arg;
  arg.row = row;
  arg.key = value.stat->name;
  arg.int_value = static_cast<int64_t>(value.number);
  switch (value.kind) {
    case Kind::kUint:
      if (value.number <= INT64_MAX) break;
      arg.kind = ArgKind::kText;
      arg.text = out_.Intern(std::to_string(value.number));
      break;
    case Kind::kDouble:
      arg.kind = ArgKind::kDouble;
      arg.double_value = std::bit_cast<double>(value.number);
      break;
    case Kind::kText:
      arg.kind = ArgKind::kText;
      arg.text = value.text;
      break;
    case Kind::kInt:
    case Kind::kNone:
      break;
  }
  builder.AddArg(arg);
  if (value.stat->known == KnownStat::kStepNumber)
    builder.AddInt(row, "step", static_cast<int64_t>(value.number));
}

// "regs:38 static_shared:0 dynamic_shared:0 grid:160,1,1 block:1024,1,1
// occ_pct:100": as the arguments that kernels of other sources have. A text
// that says something else is kept whole.
void XSpace::AddKernelDetails(Row row, std::string_view text, StringId key_id) {
  TraceBuilder& builder = out_.builder();
  int64_t registers = 0;
  int64_t shared = 0;
  int64_t grid[3] = {};
  int64_t block[3] = {};
  double occupancy = -1;
  bool understood = true;
  std::string_view rest = text;
  std::string_view key;
  std::string_view value;
  while (understood && TakePair(rest, &key, &value)) {
    int64_t number = 0;
    if (key == "grid") {
      understood = ParseTriple(value, grid);
    } else if (key == "block") {
      understood = ParseTriple(value, block);
    } else if (key == "occ_pct") {
      understood = Parse(value, &occupancy);
    } else if (key == "regs") {
      understood = Parse(value, &registers);
    } else {
      understood =
          (key == "static_shared" || key == "dynamic_shared" || key == "shm") &&
          Parse(value, &number);
      shared += number;
    }
  }
  Arg arg;
  arg.row = row;
  arg.key = key_id;
  if (!understood || !rest.empty()) {
    arg.kind = ArgKind::kText;
    arg.text = out_.Intern(text);
    builder.AddArg(arg);
    return;
  }
  builder.AddInt(row, "registers per thread", registers);
  builder.AddInt(row, "shared memory", shared);
  arg.key = out_.Intern("grid");
  builder.AddListArg(arg, grid);
  arg.key = out_.Intern("block");
  builder.AddListArg(arg, block);
  if (occupancy >= 0)
    builder.AddDouble(row, "theoretical achieved occupancy %", occupancy);
}

void XSpace::AddMemory(const Facts& facts, const EventName& name,
                       int64_t time_ns, uint32_t track) {
  MemoryEvent event;
  event.time_ns = time_ns;
  event.address = facts.address;
  event.kind = name.deallocation ? MemoryKind::kFree : MemoryKind::kAllocate;
  const auto bytes = static_cast<int64_t>(facts.bytes);
  event.bytes = name.deallocation ? -bytes : bytes;
  event.total_allocated = facts.allocated;
  event.total_reserved = facts.reserved;
  event.place = facts.allocator;
  event.track = track;
  out_.builder().AddMemory(event);
}

}  // namespace stepscope::proto
