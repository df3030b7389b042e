// SPDX-License-Identifier: Apache-2.0
#include "importers/xplane/events.h"

#include <algorithm>

#include "importers/xplane/fields.h"

namespace stepscope::proto::xplane {
namespace {

using Kind = StatValue::Kind;

// How far behind an event its reader may look: two varints and a tag.
constexpr int64_t kLookAhead = 2 * kMaxVarint + 1;

int64_t FloorToNs(int64_t ps) { return ps / 1000 - (ps % 1000 < 0 ? 1 : 0); }

}  // namespace

void XEvents::Read(const XLine& line, const Range& range) {
  Message message(line.bytes);
  while (message.Next()) {
    if (message.field() >= range.to) return;
    if (message.tag() != kEvent || message.field() < range.from) continue;
    const Bytes event = message.bytes();
    Fields fields;
    if (ReadAsWritten(event, *line.tables, &fields)
            ? !AddPlain(fields, event.data(), line)
            : ReadInAnyOrder(event, message.cut(), *line.tables, &fields))
      Add(fields, event.data(), line);
  }
  if (range.Holds(message.field())) out_.RejectRest(message);
}

// An event as all known writers put it: fields in the order of their numbers,
// none of them twice, each stat an id and a value. False, and nothing is known
// of the event, if it is any different.
inline bool XEvents::ReadAsWritten(Bytes event, const XPlaneMetadata& plane,
                                   Fields* fields) {
  const uint8_t* p = event.data();
  const uint8_t* const end = p + event.size();
  if (file_end_ - end < kLookAhead) return false;
  uint64_t offset_ps = 0;
  uint64_t duration_ps = 0;
  if (*p == kEventMetadataId && !QuickSmall(++p, &fields->metadata_id))
    return false;
  if (p < end && *p == kEventOffset && !QuickVarint(++p, &offset_ps))
    return false;
  if (p < end && *p == kEventDuration && !QuickVarint(++p, &duration_ps))
    return false;
  fields->offset_ps = static_cast<int64_t>(offset_ps);
  fields->duration_ps = static_cast<int64_t>(duration_ps);
  stats_.clear();
  while (p < end) {
    if (*p != kEventStat) return false;
    ++p;
    uint64_t size = 0;
    if (!QuickSmall(p, &size) || p > end ||
        size > static_cast<uint64_t>(end - p) ||
        !ReadStatAsWritten({p, static_cast<size_t>(size)}, plane))
      return false;
    p += size;
    fields->special |= stats_.back().stat->known != KnownStat::kOther;
  }
  return p == end;
}

// REQUIRES: kLookAhead bytes behind the stat.
inline bool XEvents::ReadStatAsWritten(Bytes stat,
                                       const XPlaneMetadata& plane) {
  const uint8_t* p = stat.data();
  const uint8_t* const end = p + stat.size();
  uint64_t id = 0;
  if (*p != kStatId || !QuickSmall(++p, &id)) return false;
  const uint32_t tag = *p++;
  StatValue value;
  value.stat = plane.FindStat(id);
  if (value.stat == nullptr) return false;
  switch (tag) {
    case kStatInt:
    case kStatUint:
      value.kind = tag == kStatInt ? Kind::kInt : Kind::kUint;
      if (!QuickVarint(p, &value.number)) return false;
      break;
    case kStatDouble:
      value.kind = Kind::kDouble;
      std::memcpy(&value.number, p, sizeof(value.number));
      p += sizeof(value.number);
      break;
    case kStatRef: {
      uint64_t ref = 0;
      if (!QuickSmall(p, &ref)) return false;
      const StatName* const text = plane.FindStat(ref);
      if (text == nullptr) return false;
      value.kind = Kind::kText;
      value.text = text->name;
      break;
    }
    case kStatText:
    case kStatBytes: {
      uint64_t size = 0;
      if (!QuickSmall(p, &size) || p > end ||
          size != static_cast<uint64_t>(end - p))
        return false;
      value.kind = Kind::kText;
      value.text = out_.Intern(Text({p, static_cast<size_t>(size)}));
      p += size;
      break;
    }
    default:
      return false;
  }
  stats_.push_back(value);
  return p == end;
}

// False if the event is rejected.
bool XEvents::ReadInAnyOrder(Bytes event, bool cut, const XPlaneMetadata& plane,
                             Fields* fields) {
  *fields = {};
  stats_.clear();
  bool wrong = false;
  Message message(event);
  while (message.Next()) {
    switch (message.tag()) {
      case kEventMetadataId:
        fields->metadata_id = message.value();
        break;
      case kEventOffset:
        fields->offset_ps = message.sint();
        break;
      case kEventDuration:
        fields->duration_ps = message.sint();
        break;
      case kEventStat: {
        StatValue value;
        const auto result =
            plane.ReadStat(message.bytes(), out_.builder().strings(), &value);
        if (result == XPlaneMetadata::StatResult::kOk) {
          fields->special |= value.stat->known != KnownStat::kOther;
          stats_.push_back(value);
        }
        fields->unknown_stat |= result == XPlaneMetadata::StatResult::kUnknown;
        wrong |= result == XPlaneMetadata::StatResult::kBroken &&
                 !message.bytes().empty();
        break;
      }
      case kEventOccurrences:
        fields->aggregated = true;
        fields->occurrences = message.sint();
        break;
      default:
        wrong |= message.number() <= kEventOccurrences >> 3;
        break;
    }
  }
  if (out_.RejectIfBroken(message.ok(), cut, false, true, event)) return false;
  if (wrong) out_.Reject("event with an unreadable field", event.data());
  return !wrong;
}

// Adds an event that is nothing but times, a name and arguments, as most are.
// False, and nothing is done, if there is more to it.
inline bool XEvents::AddPlain(const Fields& fields, const uint8_t* at,
                              const XLine& line) {
  const EventName* const name = line.tables->FindEvent(fields.metadata_id);
  if (name == nullptr || !name->plain || fields.special ||
      (fields.offset_ps | fields.duration_ps) < 0)
    return false;
  // Neither is negative, so that dividing rounds down.
  const auto offset_ps = static_cast<uint64_t>(fields.offset_ps);
  const auto end_ps = offset_ps + static_cast<uint64_t>(fields.duration_ps);
  Span span;
  if (end_ps > INT64_MAX ||
      __builtin_add_overflow(line.timestamp_ns, offset_ps / 1000,
                             &span.start_ns) ||
      __builtin_add_overflow(line.timestamp_ns, end_ps / 1000, &span.end_ns))
    return false;
  span.name = name->name;
  span.track = line.track;
  span.type = name->type[static_cast<size_t>(line.role)];
  span.flags = fields.duration_ps == 0 ? kEventInstant : 0;
  if (line.role == LineRole::kDeviceSteps) span.flags |= kEventInferred;
  const Row row = out_.Add(span, at);
  if (row == kNoRow) return true;
  for (const StatValue& value : stats_) AddPlainStat(row, value);
  return true;
}

void XEvents::Add(const Fields& fields, const uint8_t* at, const XLine& line) {
  static const EventName kUnknown;
  const EventName* name = line.tables->FindEvent(fields.metadata_id);
  std::string_view repair;
  if (fields.unknown_stat) repair = "stat of no metadata";
  if (name == nullptr) [[unlikely]] {
    repair = "event of no metadata";
    name = &kUnknown;
  }
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
  span.track = name->memory ? line.memory_track : line.track;
  span.type = name->type[static_cast<size_t>(line.role)];
  XEventFacts facts;
  if (fields.special) {
    facts = name->facts;
    for (const StatValue& value : stats_) facts.Take(value);
    span.type = facts.Type(line.role, out_.builder().strings().view(name->name),
                           name->whole.v != 0);
  } else if (name->special) {
    facts = name->facts;
  }
  if (name == &kUnknown) span.type = facts.Type(line.role, {}, false);
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
  if (name->whole.v != 0) {
    Arg& arg = builder.NewArg(row, out_.Intern("name"));
    arg.kind = ArgKind::kText;
    arg.text = name->whole;
  }
  if (fields.aggregated) {
    builder.AddInt(row, "num_occurrences", fields.occurrences);
    builder.AddInt(row, "duration_ps", fields.duration_ps);
  }
  for (const StatValue& value : name->stats) AddStat(row, value);
  for (const StatValue& value : stats_) AddStat(row, value);
  if (fields.special || name->special || name->memory)
    AddFacts(facts, *name, row, line);
}

void XEvents::AddFacts(const XEventFacts& facts, const EventName& name, Row row,
                       const XLine& line) {
  TraceBuilder& builder = out_.builder();
  if (facts.has_correlation)
    builder.AddLink(
        {process_, LinkSpace::kCorrelation, facts.correlation, row});
  const int64_t time_ns = builder.start_ns(row);
  const uint32_t track = builder.track_of(row);
  if (facts.has_producer)
    producers_.push_back(
        {{facts.producer_type, facts.producer}, row, track, time_ns});
  if (facts.has_consumer)
    consumers_.push_back(
        {{facts.consumer_type, facts.consumer}, row, track, time_ns});
  if (!name.memory) return;
  MemoryEvent event;
  event.time_ns = time_ns;
  event.address = facts.address;
  event.kind = name.deallocation ? MemoryKind::kFree : MemoryKind::kAllocate;
  event.bytes =
      static_cast<int64_t>(name.deallocation ? 0 - facts.bytes : facts.bytes);
  event.total_allocated = facts.allocated;
  event.total_reserved = facts.reserved;
  event.place = facts.allocator;
  event.track = line.track;
  builder.AddMemory(event);
}

void XEvents::Join(XEvents&& next) {
  const Row first_row = out_.builder().event_count();
  const auto take = [first_row](std::vector<ArrowEnd>& into,
                                const std::vector<ArrowEnd>& from) {
    for (ArrowEnd end : from) {
      end.row += first_row;
      into.push_back(end);
    }
  };
  take(producers_, next.producers_);
  take(consumers_, next.consumers_);
  host_steps_ |= next.host_steps_;
  out_.builder().Join(std::move(next.out_.builder()));
}

void XEvents::AddArrows() {
  TraceBuilder& builder = out_.builder();
  const StringId name = out_.Intern("dataflow");
  // Of several producers of one thing the last counts.
  std::stable_sort(
      producers_.begin(), producers_.end(),
      [](const ArrowEnd& a, const ArrowEnd& b) { return a.key < b.key; });
  for (const ArrowEnd& consumer : consumers_) {
    const auto behind = std::upper_bound(
        producers_.begin(), producers_.end(), consumer.key,
        [](const ArrowKey& key, const ArrowEnd& end) { return key < end.key; });
    if (behind == producers_.begin()) continue;
    const ArrowEnd& producer = behind[-1];
    if (producer.key != consumer.key) continue;
    // A row is an id that no other arrow of the trace has.
    const uint64_t id = uint64_t{consumer.row} << 16;
    builder.AddFlow(
        {producer.time_ns, id, name, producer.track, FlowPhase::kBegin});
    builder.AddFlow(
        {consumer.time_ns, id, name, consumer.track, FlowPhase::kEnd});
  }
}

}  // namespace stepscope::proto::xplane
