// SPDX-License-Identifier: Apache-2.0
//
// TrackEvents: slices, instants, counters, memory events of our files.
#include <algorithm>
#include <bit>
#include <cstring>

#include "importers/perfetto/fields.h"
#include "importers/perfetto/reader.h"

namespace stepscope::pftrace {
namespace {

using proto::Bytes;
using proto::Message;

constexpr std::string_view kNoName = "name that was not defined";
constexpr std::string_view kTooDeep = "argument nested too deeply";
constexpr std::string_view kEndArgs = "arguments of an end before its begin";

// Numbers of eight bytes each, packed or not.
template <typename Visit>
void ForEachFixed(const Message& message, Visit visit) {
  if ((message.tag() & 7) == static_cast<uint32_t>(proto::Wire::kFixed64)) {
    visit(message.value());
    return;
  }
  Bytes bytes = message.bytes();
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof(value));
    visit(value);
  }
}

}  // namespace

Event Reader::ParseEvent(Bytes bytes) const {
  Event event;
  event.bytes = bytes;
  Message message(bytes, readable_);
  while (message.Next()) {
    switch (message.tag()) {
      case tag::kType:
        event.type = message.value();
        break;
      case tag::kNameIid:
        event.name_iid = message.value();
        event.has_name_iid = true;
        break;
      case tag::kName:
        event.name = message.text();
        break;
      case tag::kTrackUuid:
        event.uuid = message.value();
        event.has_uuid = true;
        break;
      case tag::kCategoryIid:
      case tag::kCategoryIids:
      case tag::kCategory:
        event.has_category_iid = true;
        break;
      case tag::kAnnotation:
        event.has_annotations = true;
        break;
      case tag::kCounterValue:
        event.value = message.value();
        event.has_value = true;
        break;
      case tag::kDoubleCounterValue:
        event.value = message.value();
        event.has_double = true;
        break;
      case tag::kOldFlow:
      case tag::kOldFlows:
      case tag::kOldLastFlow:
      case tag::kOldLastFlows:
      case tag::kFlow:
      case tag::kFlows:
      case tag::kLastFlow:
      case tag::kLastFlows:
        event.has_flows = true;
        break;
      case tag::kExtraValue:
      case tag::kExtraValues:
      case tag::kExtraDouble:
      case tag::kExtraDoubles:
        event.has_extra = true;
        break;
      case tag::kDeltaUs:
        event.time_us = message.sint();
        event.has_delta = true;
        break;
      case tag::kAbsoluteUs:
        event.time_us = message.sint();
        event.has_absolute = true;
        break;
      case tag::kLegacy:
        event.legacy = message.bytes();
        event.has_legacy = true;
        break;
      default:
        break;
    }
  }
  return event;
}

void Reader::Count(std::string_view repair, StringId name) {
  if (repair.empty()) [[likely]] {
    ++kept_;
    return;
  }
  out_.ledger().Repair(repair, offset_, out_.builder().strings().view(name));
}

StringId Reader::NameOf(const Event& event, const Sequence& sequence,
                        std::string_view* repair) {
  if (!event.has_name_iid) return out_.Intern(event.name);
  const uint32_t id =
      sequence.state ? sequence.state->names.Find(event.name_iid) : kNone;
  if (id != kNone) [[likely]]
    return {id};
  *repair = kNoName;
  return {};
}

// Of several, the first one that says what an event is.
uint32_t Reader::CategoryOf(const Event& event, const Sequence& sequence) {
  uint32_t best = 0;
  const auto take = [&](uint32_t category) {
    if (category == kNone) return;
    if (best == 0 || (types_.IsKnown(category) && !types_.IsKnown(best)))
      best = category;
  };
  const auto find = [&](uint64_t iid) {
    take(sequence.state ? sequence.state->categories.Find(iid) : kNone);
  };
  if (!event.has_category_iid) return 0;
  Message message(event.bytes);
  while (message.Next()) {
    if (message.tag() == tag::kCategory) take(types_.Add(message.text()));
    if (message.tag() == tag::kCategoryIid ||
        message.tag() == tag::kCategoryIids)
      proto::ForEachVarint(message, find);
  }
  return best;
}

// The fast path. A sequence that has stated something has been seen.
void Reader::TakePlain(uint64_t file_time, const PlainEvent& event,
                       const Sequence::State& state) {
  int64_t time = proto::ToTime(file_time);
  if (!out_.Shift(&time)) [[unlikely]] {
    Reject(proto::kTimeRange);
    return;
  }
  last_ns_ = std::max(last_ns_, time);
  const uint32_t index = tracks_.Find(event.uuid);
  if (event.type == tag::kSliceEnd) {
    slices_.End(index, time, offset_);
    return;
  }
  const uint32_t found = state.names.Find(event.name_iid);
  const StringId name = {found == kNone ? 0 : found};
  uint32_t category = state.categories.Find(event.category_iid);
  if (category == kNone) category = 0;
  if (types_.IsDeviceWork(category)) tracks_.info(index).device_work = true;
  const importers::TypeAndFlags type = types_.Of(category, name);
  const Row row = out_.builder().AddEvent(
      {tracks_.TrackOf(index), time, 0, name, type.type, type.flags});
  if (row == kNoRow) [[unlikely]] {
    Reject(proto::kNoMemory);
    return;
  }
  slices_.Begin(index, time, row, offset_,
                found == kNone ? kNoName : std::string_view());
}

bool Reader::TimeOf(const Packet& packet, Sequence& sequence,
                    const Event& event, int64_t* time_ns) {
  const auto from_us = [&](int64_t us) {
    const auto ns = us < 0 || us > INT64_MAX / 1000
                        ? uint64_t{INT64_MAX}
                        : static_cast<uint64_t>(us) * 1000;
    *time_ns = clocks_.Convert(packet.sequence, Clocks::kMonotonic, ns);
  };
  if (packet.has_time) {
    uint64_t clock = packet.clock;
    if (clock == 0 && sequence.state) clock = sequence.state->clock;
    if (clock == 0) clock = clocks_.primary();
    if (!clocks_.Knows(packet.sequence, clock)) LearnClocksAhead(SIZE_MAX);
    *time_ns = clocks_.Convert(packet.sequence, clock, packet.time);
    return true;
  }
  if (event.has_absolute) {
    from_us(event.time_us);
    return true;
  }
  if (!event.has_delta || !sequence.has_reference) return false;
  if (__builtin_add_overflow(sequence.reference_us, event.time_us,
                             &sequence.reference_us))
    sequence.reference_us = INT64_MAX;
  from_us(sequence.reference_us);
  return true;
}

void Reader::TakeEvent(const Packet& packet, Sequence& sequence,
                       const Event& event) {
  FindEpoch();
  Current current{event, sequence, 0, 0, {}, 0, {}};
  if (!TimeOf(packet, sequence, event, &current.time_ns)) {
    Reject(proto::kNoTime);
    return;
  }
  if (!out_.Shift(&current.time_ns)) {
    Reject(proto::kTimeRange);
    return;
  }
  const Sequence::State* const state = sequence.state.get();
  if (event.has_uuid) {
    current.index = tracks_.Find(event.uuid);
  } else if (state != nullptr && state->has_track) {
    current.index = tracks_.Find(state->track);
  } else if (state != nullptr && state->thread != kNone) {
    current.index = state->thread;
  } else if ((packet.flags & tag::kNeedsState) != 0 && !sequence.cleared) {
    Reject("what its sequence said before is missing");
    return;
  } else {
    current.index = tracks_.Find(0);
  }
  current.name = NameOf(event, sequence, &current.repair);
  current.category = CategoryOf(event, sequence);
  last_ns_ = std::max(last_ns_, current.time_ns);
  if (event.has_extra) AddExtraCounters(current);
  Dispatch(current);
}

void Reader::Dispatch(Current& current) {
  if (tracks_.info(current.index).kind == TrackInfo::Kind::kForViewers) {
    ++kept_;
    return;
  }
  switch (current.event.type) {
    case tag::kSliceBegin:
      AddBegin(current);
      return;
    case tag::kSliceEnd:
      current.repair = {};  // an end needs no name
      AddEnd(current);
      return;
    case tag::kInstant:
      if (tracks_.info(current.index).kind == TrackInfo::Kind::kMemoryRow)
        AddMemory(current);
      else
        AddInstant(current);
      return;
    case tag::kCounter:
      AddCounter(current);
      return;
    default:
      break;
  }
  if (current.event.has_legacy)
    TakeLegacy(current);
  else
    Reject("event of an unknown type");
}

Row Reader::AddRow(Current& current, int64_t dur_ns, uint16_t flags) {
  const Event& event = current.event;
  if (own_ && event.has_annotations) {
    const Annotations::About about =
        annotations_.ReadAbout(event.bytes, current.sequence);
    flags |= about.flags;
    if (about.has_name) current.name = about.name;
  }
  if (types_.IsDeviceWork(current.category))
    tracks_.info(current.index).device_work = true;
  const importers::TypeAndFlags type =
      types_.Of(current.category, current.name);
  const uint32_t track = tracks_.TrackOf(current.index);
  const Row row = out_.builder().AddEvent(
      {track, current.time_ns, dur_ns, current.name, type.type,
       static_cast<uint16_t>(flags | type.flags)});
  if (row == kNoRow) {
    Reject(proto::kNoMemory);
    return row;
  }
  if (event.has_annotations &&
      !annotations_.Add(row, event.bytes, current.sequence, own_, false) &&
      current.repair.empty())
    current.repair = kTooDeep;
  if (event.has_flows) AddFlows(current, track);
  return row;
}

void Reader::AddBegin(Current& current) {
  const Row row = AddRow(current, 0, 0);
  if (row == kNoRow) return;
  slices_.Begin(current.index, current.time_ns, row, offset_, current.repair);
}

void Reader::AddEnd(Current& current) {
  const Event& event = current.event;
  const bool late = slices_.IsLate(current.index, current.time_ns);
  const Row row = slices_.End(current.index, current.time_ns, offset_,
                              late && event.has_annotations ? kEndArgs : "");
  if (row != kNoRow && event.has_annotations)
    annotations_.Add(row, event.bytes, current.sequence, own_, true);
}

void Reader::AddInstant(Current& current) {
  if (AddRow(current, 0, kEventInstant) != kNoRow)
    Count(current.repair, current.name);
}

void Reader::AddComplete(Current& current, int64_t dur_ns) {
  if (AddRow(current, dur_ns, 0) != kNoRow) {
    last_ns_ = std::max(last_ns_, current.time_ns + dur_ns);
    Count(current.repair, current.name);
  }
}

void Reader::AddFlows(Current& current, uint32_t track) {
  // Ours are stated by themselves, and launches are links.
  if (own_) return;
  Message message(current.event.bytes);
  while (message.Next()) {
    const auto add = [&](bool last) {
      return [&, last](uint64_t id) {
        arrows_.Add(id, current.time_ns, track, last);
      };
    };
    switch (message.tag()) {
      case tag::kOldFlow:
      case tag::kOldFlows:
        proto::ForEachVarint(message, add(false));
        break;
      case tag::kOldLastFlow:
      case tag::kOldLastFlows:
        proto::ForEachVarint(message, add(true));
        break;
      case tag::kFlow:
      case tag::kFlows:
        ForEachFixed(message, add(false));
        break;
      case tag::kLastFlow:
      case tag::kLastFlows:
        ForEachFixed(message, add(true));
        break;
      default:
        break;
    }
  }
}

void Reader::AddSample(Sequence& sequence, uint32_t index, int64_t time_ns,
                       bool integer, uint64_t bits) {
  if (tracks_.info(index).kind == TrackInfo::Kind::kForViewers) return;
  CounterSample sample;
  sample.time_ns = time_ns;
  sample.track = tracks_.TrackOf(index);
  sample.integer = integer;
  TrackInfo& info = tracks_.info(index);
  if (info.kind == TrackInfo::Kind::kPlain && !info.own)
    info.kind = TrackInfo::Kind::kCounter;
  if (integer) {
    auto value = static_cast<int64_t>(bits);
    if (info.incremental) {
      int64_t& last = sequence.Make().counters[index];
      last = static_cast<int64_t>(static_cast<uint64_t>(last) + bits);
      value = last;
    }
    sample.value = static_cast<double>(value) * static_cast<double>(info.unit);
    sample.integer =
        !__builtin_mul_overflow(value, info.unit, &sample.int_value);
    if (!sample.integer) sample.int_value = 0;
  } else {
    sample.value = std::bit_cast<double>(bits) * static_cast<double>(info.unit);
  }
  out_.builder().AddCounter(sample);
}

void Reader::AddCounter(Current& current) {
  const Event& event = current.event;
  if (!event.has_value && !event.has_double) {
    Reject("counter without a value");
    return;
  }
  AddSample(current.sequence, current.index, current.time_ns, event.has_value,
            event.value);
  ++kept_;
}

void Reader::AddExtraCounters(Current& current) {
  std::vector<uint64_t> uuids, double_uuids, values, doubles;
  const auto into = [](std::vector<uint64_t>& list) {
    return [&list](uint64_t value) { list.push_back(value); };
  };
  Message message(current.event.bytes);
  while (message.Next()) {
    switch (message.tag()) {
      case tag::kExtraUuid:
      case tag::kExtraUuids:
        proto::ForEachVarint(message, into(uuids));
        break;
      case tag::kExtraDoubleUuid:
      case tag::kExtraDoubleUuids:
        proto::ForEachVarint(message, into(double_uuids));
        break;
      case tag::kExtraValue:
      case tag::kExtraValues:
        proto::ForEachVarint(message, into(values));
        break;
      case tag::kExtraDouble:
      case tag::kExtraDoubles:
        ForEachFixed(message, into(doubles));
        break;
      default:
        break;
    }
  }
  if (const auto* const state = current.sequence.state.get()) {
    if (uuids.empty()) uuids = state->extra_uuids;
    if (double_uuids.empty()) double_uuids = state->extra_double_uuids;
  }
  for (size_t i = 0; i < std::min(uuids.size(), values.size()); ++i)
    AddSample(current.sequence, tracks_.Find(uuids[i]), current.time_ns, true,
              values[i]);
  for (size_t i = 0; i < std::min(double_uuids.size(), doubles.size()); ++i)
    AddSample(current.sequence, tracks_.Find(double_uuids[i]), current.time_ns,
              false, doubles[i]);
}

void Reader::AddMemory(Current& current) {
  MemoryEvent memory;
  memory.time_ns = current.time_ns;
  memory.track = tracks_.info(current.index).track;
  bool has_bytes = false;
  bool has_kind = false;
  Message message(current.event.bytes);
  while (message.Next()) {
    if (message.tag() != tag::kAnnotation) continue;
    const Annotation said =
        annotations_.Read(message.bytes(), current.sequence);
    const std::string_view key = annotations_.KeyOf(said);
    if (key == "bytes") {
      memory.bytes = static_cast<int64_t>(said.number);
      has_bytes = true;
    } else if (key == "address") {
      memory.address = said.number;
    } else if (key == "allocated") {
      memory.total_allocated = said.number;
    } else if (key == "reserved") {
      memory.total_reserved = said.number;
    } else if (key == "place") {
      memory.place = out_.Intern(said.text);
    } else if (key == "kind") {
      has_kind = true;
      memory.kind = said.text == "Free" ? MemoryKind::kFree
                    : said.text == "ReservedAllocate"
                        ? MemoryKind::kReservedAllocate
                    : said.text == "ReservedFree" ? MemoryKind::kReservedFree
                                                  : MemoryKind::kAllocate;
    }
  }
  if (!has_bytes) {
    Reject("memory event without bytes");
    return;
  }
  if (!has_kind && memory.bytes < 0) memory.kind = MemoryKind::kFree;
  out_.builder().AddMemory(memory);
  ++kept_;
}

}  // namespace stepscope::pftrace
