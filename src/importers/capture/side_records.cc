// SPDX-License-Identifier: Apache-2.0
//
// The part of EventDecoder that turns side records into arguments, counters,
// memory events, flows and late ends.
#include <algorithm>
#include <cstring>

#include "importers/capture/event_decoder.h"

namespace stepscope::capture {
namespace {

using format::SideKind;
using format::Slot;
using format::SlotRef;

constexpr std::string_view kBadRecord = "bad side record";

template <typename T>
T Load(const uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

// Slots that a payload of this kind has at least; 0: unknown kind.
uint32_t LeastPayload(SideKind kind) {
  switch (kind) {
    case SideKind::kOwner:
    case SideKind::kLateEnd:
    case SideKind::kArg:
    case SideKind::kCounter:
    case SideKind::kFlow:
      return 1;
    case SideKind::kMemory:
      return 3;
  }
  return 0;
}

}  // namespace

void EventDecoder::Side(const RunInfo& run, const SideRecord& record) {
  Ledger& ledger = builder_.ledger();
  const Slot& header = record.header;
  const uint8_t* const payload = record.payload;
  const uint32_t payload_slots = record.payload_slots;
  const SideKind kind = format::SideKindOf(header.site);
  const uint32_t least = LeastPayload(kind);
  if (header.dur == 0) return ledger.Reject("cut short by a kill", run.offset);
  if (least == 0) return ledger.Reject("unknown record kind", run.offset);
  if (payload_slots < least) return ledger.Reject(kBadRecord, run.offset);
  const uint64_t tick = header.begin;
  bool good = true;
  switch (kind) {
    case SideKind::kOwner:
      break;
    case SideKind::kLateEnd:
      LateEnd(run, record);
      break;
    case SideKind::kArg: {
      const uint8_t* const value = payload + sizeof(SlotRef);
      const size_t bytes = (payload_slots - 1) * sizeof(Slot);
      args_.push_back({Load<SlotRef>(payload), header.dur - 1,
                       static_cast<uint32_t>(bytes), arg_bytes_.size(),
                       run.offset});
      arg_bytes_.insert(arg_bytes_.end(), value, value + bytes);
      break;
    }
    case SideKind::kCounter:
      good = Counter(run, tick, payload);
      break;
    case SideKind::kMemory:
      good = Memory(run, tick, payload);
      break;
    case SideKind::kFlow:
      good = Flow(run, tick, payload);
      break;
  }
  if (!good) ledger.Reject(kBadRecord, run.offset);
}

void EventDecoder::LateEnd(const RunInfo& run, const SideRecord& record) {
  const auto ref = Load<SlotRef>(record.payload);
  const uint64_t tick = record.header.begin;
  const Row expected =
      order_.End(record.before, clock_.ToNs(ref.begin) + offset_ns_,
                 clock_.ToNs(tick) + offset_ns_);
  ends_.push_back({ref, tick, run.offset, expected});
}

bool EventDecoder::Counter(const RunInfo& run, uint64_t tick,
                           const uint8_t* payload) {
  const auto counter = Load<format::CounterPayload>(payload);
  const auto kind = static_cast<format::ArgKind>(counter.kind);
  if (kind != format::ArgKind::kI64 && kind != format::ArgKind::kF64)
    return false;
  const Site name = sites_.Resolve(counter.site);
  const auto [it, added] = counter_tracks_.try_emplace(name.name.v, 0);
  if (added) {
    Track track;
    track.process = process_;
    track.kind = TrackKind::kCounter;
    track.name = name.name;
    it->second = builder_.AddTrack(track);
  }
  const int64_t time = clock_.ToNs(tick);
  CounterSample sample;
  sample.time_ns = time + offset_ns_;
  sample.track = it->second;
  sample.integer = kind == format::ArgKind::kI64;
  if (sample.integer) {
    sample.int_value = static_cast<int64_t>(counter.bits);
    sample.value = static_cast<double>(sample.int_value);
  } else {
    std::memcpy(&sample.value, &counter.bits, sizeof(sample.value));
  }
  builder_.AddCounter(sample);
  Account(time, ReasonOf(name, counter.site), run.offset);
  return true;
}

bool EventDecoder::Memory(const RunInfo& run, uint64_t tick,
                          const uint8_t* payload) {
  const auto memory = Load<format::MemoryPayload>(payload);
  if (memory.kind > STEPSCOPE_RESERVED_FREE || memory.bytes > INT64_MAX)
    return false;
  const Site place = sites_.Resolve(memory.place_site);
  const int64_t time = clock_.ToNs(tick);
  const auto bytes = static_cast<int64_t>(memory.bytes);
  const bool freed =
      memory.kind == STEPSCOPE_FREE || memory.kind == STEPSCOPE_RESERVED_FREE;
  MemoryEvent event;
  event.time_ns = time + offset_ns_;
  event.address = memory.address;
  event.bytes = freed ? -bytes : bytes;
  event.total_allocated = memory.total_allocated;
  event.total_reserved = memory.total_reserved;
  event.place = place.name;
  event.track = run.track;
  event.kind = static_cast<MemoryKind>(memory.kind);
  if (history_ != nullptr &&
      history_->Takes(builder_.strings().view(event.place)))
    history_->Told(event);
  else
    builder_.AddMemory(event);
  Account(time, ReasonOf(place, memory.place_site), run.offset);
  return true;
}

bool EventDecoder::Flow(const RunInfo& run, uint64_t tick,
                        const uint8_t* payload) {
  const auto recorded = Load<format::FlowPayload>(payload);
  constexpr FlowPhase kPhases[] = {FlowPhase::kBegin, FlowPhase::kEnd,
                                   FlowPhase::kStep};
  if (recorded.phase >= std::size(kPhases)) return false;
  const Site name = sites_.Resolve(recorded.site);
  const int64_t time = clock_.ToNs(tick);
  stepscope::Flow flow;
  flow.time_ns = time + offset_ns_;
  flow.id = recorded.id;
  flow.name = name.name;
  flow.track = run.track;
  flow.phase = kPhases[recorded.phase];
  builder_.AddFlow(flow);
  Account(time, ReasonOf(name, recorded.site), run.offset);
  return true;
}

std::string_view EventDecoder::ReasonOf(const Site& site, uint32_t id) const {
  return (site.flags & kSiteOdd) != 0 ? sites_.RepairReason(id)
                                      : std::string_view();
}

// The row (counted from rows_.first) of a slot, by position and begin time.
Row EventDecoder::RowOf(const SlotRef& ref) const {
  const int64_t start = clock_.ToNs(ref.begin) + offset_ns_;
  return index_.Find(ref.position, start, [&](Row row) {
    return row < row_ && rows_.start_ns[row] == start;
  });
}

void EventDecoder::Resolve() {
  builder_.CommitRows(row_);
  index_.Seal();
  for (const PendingEnd& end : ends_) ResolveEnd(end);
  if (!args_.empty()) mark_key_ = builder_.Intern("stepscope.mark");
  for (const PendingArg& arg : args_) {
    // Shorter than what it was ordered by.
    if (sites_.Resolve(arg.ref.extra).name == mark_key_) order_.GiveUp();
  }
  order_.Finish(builder_);
  // As in the files of torch's own profiler, it is a link, no argument.
  if (!args_.empty()) sequence_key_ = builder_.Intern("Sequence number");
  for (const PendingArg& arg : args_) ResolveArg(arg);
  ends_ = {};
  args_ = {};
  arg_bytes_ = {};
}

void EventDecoder::ResolveEnd(const PendingEnd& end) {
  Ledger& ledger = builder_.ledger();
  const Row row = RowOf(end.ref);
  if (row != end.expected) order_.GiveUp();
  if (row == kNoRow) return ledger.Reject("end without its event", end.offset);
  const auto open = std::lower_bound(
      open_.begin(), open_.end(), row,
      [](const OpenEvent& event, Row r) { return event.row < r; });
  if (open == open_.end() || open->row != row || open->ended)
    return ledger.Reject("event had ended already", end.offset);
  open->ended = true;
  const int64_t time = clock_.ToNs(end.tick);
  const int64_t length = time + offset_ns_ - rows_.start_ns[row];
  rows_.dur_ns[row] = std::max<int64_t>(length, 0);
  Account(time, length < 0 ? "end before its begin" : "", end.offset);
}

// The recorder took it for a step, and found out too late to say so in its
// slot.
void EventDecoder::MakeMark(Row row, StringId name) {
  rows_.name[row] = name;
  rows_.type[row] = STEPSCOPE_OVERHEAD;
  rows_.flags[row] = kEventInstant;
  rows_.dur_ns[row] = 0;
}

void EventDecoder::ResolveArg(const PendingArg& pending) {
  Ledger& ledger = builder_.ledger();
  const Row row = RowOf(pending.ref);
  if (row == kNoRow)
    return ledger.Reject("argument without its event", pending.offset);
  const uint32_t size = pending.aux >> 8;
  const uint8_t* const value = arg_bytes_.data() + pending.first_byte;
  const Site key = sites_.Resolve(pending.ref.extra);
  Arg arg;
  arg.row = rows_.first + row;
  arg.key = key.name;
  arg.clipped = (pending.aux & format::kArgClipped) != 0;
  switch (static_cast<format::ArgKind>(pending.aux & 0x7f)) {
    case format::ArgKind::kI64:
      if (pending.bytes < 8) return ledger.Reject(kBadRecord, pending.offset);
      arg.kind = ArgKind::kInt;
      arg.int_value = Load<int64_t>(value);
      if (arg.key == sequence_key_ && arg.int_value >= 0) {
        builder_.AddLink({process_, LinkSpace::kSequence,
                          static_cast<uint64_t>(arg.int_value), arg.row});
      } else {
        builder_.AddArg(arg);
      }
      break;
    case format::ArgKind::kF64:
      if (pending.bytes < 8) return ledger.Reject(kBadRecord, pending.offset);
      arg.kind = ArgKind::kDouble;
      arg.double_value = Load<double>(value);
      builder_.AddArg(arg);
      break;
    case format::ArgKind::kText:
      if (pending.bytes < size)
        return ledger.Reject(kBadRecord, pending.offset);
      arg.kind = ArgKind::kText;
      arg.text = builder_.Intern(
          {reinterpret_cast<const char*>(value), static_cast<size_t>(size)});
      builder_.AddArg(arg);
      if (arg.key == mark_key_) MakeMark(row, arg.text);
      break;
    case format::ArgKind::kI64List: {
      if (pending.bytes / 8 < size)
        return ledger.Reject(kBadRecord, pending.offset);
      std::vector<int64_t> values(size);
      if (size > 0) std::memcpy(values.data(), value, size * sizeof(int64_t));
      builder_.AddListArg(arg, values);
      break;
    }
    default:
      return ledger.Reject(kBadRecord, pending.offset);
  }
  Account(0, ReasonOf(key, pending.ref.extra), pending.offset);
}

}  // namespace stepscope::capture
