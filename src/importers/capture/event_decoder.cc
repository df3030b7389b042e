// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/event_decoder.h"

#include <algorithm>

#include "format/event_unpack.h"
#include "importers/capture/event_sites.h"
#include "importers/capture/event_times.h"

namespace stepscope::capture {
namespace {

using format::Slot;

constexpr std::string_view kNoClock = "no clock: ticks taken as nanoseconds";
constexpr std::string_view kTimeRange = "time out of range";
constexpr std::string_view kBadDuration = "bad duration, taken as open";

bool OutOfRange(int64_t ns) {
  return ns >= kTimeLimitNs || ns <= -kTimeLimitNs;
}

}  // namespace

// Takes the slots of one run and writes the rows of plain events: ended, at a
// known site, within one segment of the clock. Everything else it only lists.
// It decides how long a capture takes to load.
class EventDecoder::RowSink {
 public:
  RowSink(const EventDecoder& d, uint64_t tick)
      : clock_(d.clock_),
        segment_(d.clock_.Find(tick)),
        offset_ns_(d.offset_ns_),
        sites_(d.sites_.dense()),
        rows_(d.rows_),
        row_(d.row_),
        odd_(d.lists_.odd.get()),
        side_(d.lists_.side.get()),
        break_(d.lists_.breaks.get()) {}

  void Events(uint32_t slot, const format::EventBatch& batch) {
    NoteSlots(slot, batch.count);
    if (!segment_.Holds(batch.base)) segment_ = clock_.Find(batch.base);
    if (ConvertTimes(segment_, offset_ns_, batch, rows_.start_ns + row_,
                     rows_.dur_ns + row_) &&
        SetSites(batch)) {
      row_ += batch.count;
      return;
    }
    for (uint32_t i = 0; i < batch.count; ++i)
      Add({batch.base + batch.from[i], batch.dur[i], batch.site[i]});
  }

  void Event(uint32_t slot, const Slot& event) {
    NoteSlots(slot, 1);
    Add(event);
  }

  void Side(uint32_t, const Slot& header, const uint8_t* payload, uint32_t n) {
    *side_++ = {header, payload, n, static_cast<Row>(row_)};
  }

  RunEnds ends() const { return {static_cast<Row>(row_), odd_, side_, break_}; }

 private:
  void NoteSlots(uint32_t slot, uint32_t count) {
    if (slot != next_slot_) *break_++ = {slot, static_cast<Row>(row_)};
    next_slot_ = slot + count;
  }

  // Site 0 is nobody's and marked as odd.
  Site SiteOf(uint32_t id) const { return sites_[id < sites_.size() ? id : 0]; }

  // Names, types and flags of the batch; false if a site is odd. Types and
  // flags of most are zero, as the columns are: pages that nobody writes cost
  // nothing.
  bool SetSites(const format::EventBatch& batch) const {
    uint16_t types[format::EventBatch::kRows];
    const SiteUnion all = LookUpSites(sites_, batch, rows_.name + row_, types);
    if ((all.flags & kSiteOdd) != 0) return false;
    if (all.types != 0) std::copy_n(types, batch.count, rows_.type + row_);
    if (all.flags != 0)
      for (uint32_t i = 0; i < batch.count; ++i)
        rows_.flags[row_ + i] = SiteOf(batch.site[i]).flags;
    return true;
  }

  void Add(const Slot& event) {
    const Site site = SiteOf(event.site);
    const uint64_t from = event.begin - segment_.tick;
    const uint32_t ticks = event.dur - 1;
    const uint64_t to = from + ticks;
    if ((site.flags & kSiteOdd) != 0 || ticks >= STEPSCOPE_DUR_LIMIT ||
        from >= segment_.span || to >= segment_.span) {
      *odd_++ = {event, static_cast<Row>(row_)};
    } else {
      // From two absolute times, as in ConvertTimes().
      const int64_t from_ns = segment_.Advance(from);
      rows_.start_ns[row_] = segment_.ns + offset_ns_ + from_ns;
      rows_.dur_ns[row_] = segment_.Advance(to) - from_ns;
      rows_.name[row_] = site.name;
      if (site.type != 0) rows_.type[row_] = site.type;
      if (site.flags != 0) rows_.flags[row_] = site.flags;
    }
    ++row_;
  }

  const ClockMap& clock_;
  ClockMap::Segment segment_;
  const int64_t offset_ns_;
  const std::span<const Site> sites_;
  const TraceBuilder::Rows rows_;
  size_t row_;
  uint32_t next_slot_ = ~0u;
  OddEvent* odd_;
  SideRecord* side_;
  SlotIndex::Break* break_;
};

EventDecoder::EventDecoder(TraceBuilder& builder, uint32_t process,
                           const ClockMap& clock, bool has_clock,
                           int64_t offset_ns, SiteTable& sites)
    : builder_(builder),
      process_(process),
      clock_(clock),
      has_clock_(has_clock),
      offset_ns_(offset_ns),
      sites_(sites) {}

EventDecoder::~EventDecoder() = default;

Status EventDecoder::Reserve(uint64_t events, uint32_t most_slots) {
  // A run that holds more than it states must not write past the end.
  STEPSCOPE_TRY(builder_.ReserveRows(events + most_slots));
  rows_ = builder_.rows();
  order_.Use(rows_);
  capacity_ = events;
  most_slots_ = most_slots;
  lists_.odd = std::make_unique_for_overwrite<OddEvent[]>(most_slots);
  lists_.side = std::make_unique_for_overwrite<SideRecord[]>(most_slots);
  lists_.breaks =
      std::make_unique_for_overwrite<SlotIndex::Break[]>(most_slots);
  return Ok();
}

RunCounts EventDecoder::DecodePacked(const RunInfo& run,
                                     std::span<const uint8_t> packed,
                                     bool* whole) {
  *whole = false;
  if (!HasRoom(run)) return {};
  RowSink sink(*this, run.header.base_tick);
  *whole = format::DecodeSlots(packed.data(), packed.size(), run.header,
                               run.version, sink);
  return FinishRun(run, sink.ends(), whole);
}

RunCounts EventDecoder::DecodeSlots(const RunInfo& run, const Slot* slots) {
  if (!HasRoom(run)) return {};
  const uint32_t count = run.header.slots;
  RowSink sink(*this, run.header.base_tick);
  for (uint32_t i = 0; i < count; ++i) {
    const Slot& slot = slots[i];
    const uint32_t index = run.header.first_slot + i;
    if (slot.begin == 0) continue;
    if (!format::IsSide(slot.site)) {
      sink.Event(index, slot);
      continue;
    }
    const uint32_t payload =
        std::min(format::SidePayloadSlots(slot.site), count - i - 1);
    sink.Side(index, slot, reinterpret_cast<const uint8_t*>(&slot + 1),
              payload);
    i += payload;
  }
  bool whole = true;
  return FinishRun(run, sink.ends(), &whole);
}

bool EventDecoder::HasRoom(const RunInfo& run) const {
  return run.header.slots <= most_slots_ &&
         run.header.events <= capacity_ - row_;
}

RunCounts EventDecoder::FinishRun(const RunInfo& run, const RunEnds& ends,
                                  bool* whole) {
  const Row first = row_;
  if (ends.row - first > run.header.events) {
    // Not what the header states: none of it can be believed.
    *whole = false;
    std::fill(rows_.type + first, rows_.type + ends.row, uint16_t{0});
    std::fill(rows_.flags + first, rows_.flags + ends.row, uint16_t{0});
    return {};
  }
  row_ = ends.row;
  RunCounts counts;
  counts.events = row_ - first;
  // Zero already, and on pages that then need not be there.
  if (run.track != 0)
    std::fill(rows_.track + first, rows_.track + row_, run.track);
  uint64_t repaired = 0;
  for (const OddEvent* odd = lists_.odd.get(); odd != ends.odd; ++odd)
    repaired += AddOddEvent(run, *odd) ? 1 : 0;
  const SlotIndex::Break* const breaks = lists_.breaks.get();
  index_.AddRun(run.header, rows_.start_ns[first], row_, {breaks, ends.breaks});
  order_.StartRun(run.track, first);
  for (const SideRecord* side = lists_.side.get(); side != ends.side; ++side) {
    if (format::SideKindOf(side->header.site) == format::SideKind::kOwner)
      continue;
    ++counts.side_records;
    Side(run, *side);
  }
  order_.FinishRun(row_);
  if (has_clock_) {
    builder_.ledger().Keep(counts.events - repaired);
  } else {
    builder_.ledger().Repair(kNoClock, run.offset, {}, counts.events);
  }
  return counts;
}

// Any other event: in another segment of the clock, open, an instant, of an
// unknown site. True if it was repaired (and has_clock_).
bool EventDecoder::AddOddEvent(const RunInfo& run, const OddEvent& odd) {
  const Slot& slot = odd.slot;
  const int64_t start = clock_.ToNs(slot.begin);
  std::string_view reason;
  if (OutOfRange(start)) reason = kTimeRange;
  Site site = sites_.Resolve(slot.site);
  if ((site.flags & kSiteOdd) != 0) {
    if (reason.empty()) reason = sites_.RepairReason(slot.site);
    site.flags &= static_cast<uint16_t>(~kSiteOdd);
  }
  int64_t length = 0;
  if (slot.dur == STEPSCOPE_DUR_INSTANT) {
    site.flags |= kEventInstant;
  } else if (slot.dur - 1 < STEPSCOPE_DUR_LIMIT) {
    const int64_t end = clock_.ToNs(slot.begin + (slot.dur - 1));
    length = std::max<int64_t>(end - start, 0);
  } else {
    if (slot.dur != 0 && reason.empty()) reason = kBadDuration;
    open_.push_back({odd.row, false});
    order_.AddOpen(odd.row);
  }
  rows_.start_ns[odd.row] = start + offset_ns_;
  rows_.dur_ns[odd.row] = length;
  rows_.name[odd.row] = site.name;
  if (site.type != 0) rows_.type[odd.row] = site.type;
  if (site.flags != 0) rows_.flags[odd.row] = site.flags;
  if (reason.empty() || !has_clock_) return false;
  builder_.ledger().Repair(reason, run.offset);
  return true;
}

int64_t EventDecoder::LatestNs() const {
  int64_t latest =
      clock_.anchors().empty() && row_ > 0 ? rows_.start_ns[0] : offset_ns_;
  for (Row row = 0; row < row_; ++row)
    latest = std::max(latest, rows_.start_ns[row] + rows_.dur_ns[row]);
  return latest;
}

std::vector<Row> EventDecoder::CloseOpenEvents(int64_t end_ns) {
  std::vector<Row> open;
  for (const auto& [row, ended] : open_) {
    if (ended) continue;
    rows_.flags[row] |= kEventOpenAtEnd;
    rows_.dur_ns[row] = std::max<int64_t>(end_ns - rows_.start_ns[row], 0);
    open.push_back(rows_.first + row);
  }
  return open;
}

void EventDecoder::Account(int64_t time_ns, std::string_view reason,
                           uint64_t offset) {
  if (!has_clock_) {
    reason = kNoClock;
  } else if (OutOfRange(time_ns)) {
    reason = kTimeRange;
  }
  if (reason.empty()) {
    builder_.ledger().Keep();
  } else {
    builder_.ledger().Repair(reason, offset);
  }
}

}  // namespace stepscope::capture
