// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/event_decoder.h"

#include <algorithm>

#include "format/event_codec.h"

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

// Takes the slots of one run. Everything that is the same for all of them is
// held here by value, so that the loop of the decoder keeps it in registers.
class EventDecoder::Sink {
 public:
  Sink(EventDecoder& decoder, const RunInfo& run)
      : decoder_(decoder),
        run_(run),
        clock_(decoder.clock_),
        offset_ns_(decoder.offset_ns_),
        sites_(decoder.sites_.dense()),
        rows_(decoder.rows_),
        first_(decoder.row_),
        row_(decoder.row_) {}

  void Event(uint32_t slot, uint64_t begin, uint32_t dur, uint32_t site_id) {
    const int64_t start = clock_.ToNs(begin);
    Site site;
    site.flags = kSiteOdd;
    if (site_id < sites_.size()) site = sites_[site_id];
    int64_t length = 0;
    if (__builtin_expect(dur - 1 < STEPSCOPE_DUR_LIMIT &&
                             (site.flags & kSiteOdd) == 0 && !OutOfRange(start),
                         1)) {
      // From two absolute times, so that what nests in ticks nests in
      // nanoseconds.
      length = clock_.ToNs(begin + (dur - 1)) - start;
      length = length < 0 ? 0 : length;
    } else {
      length = Odd(begin, start, dur, site_id, &site);
    }
    rows_.start_ns[row_] = start + offset_ns_;
    rows_.dur_ns[row_] = length;
    rows_.name[row_] = site.name;
    rows_.type[row_] = site.type;
    rows_.flags[row_] = site.flags;
    if (slot != next_slot_) decoder_.index_.AddBreak(slot, row_);
    next_slot_ = slot + 1;
    min_tick_ = begin < min_tick_ ? begin : min_tick_;
    max_tick_ = begin > max_tick_ ? begin : max_tick_;
    ++row_;
  }

  void Side(uint32_t, const Slot& header, const uint8_t* payload, uint32_t n) {
    if (format::SideKindOf(header.site) == format::SideKind::kOwner) return;
    ++side_records_;
    decoder_.Side(run_, header, payload, n);
  }

  Row first() const { return first_; }
  Row row() const { return row_; }
  uint32_t last_slot() const { return next_slot_ - 1; }
  uint64_t min_tick() const { return min_tick_; }
  uint64_t max_tick() const { return max_tick_; }
  uint64_t side_records() const { return side_records_; }
  uint64_t repaired() const { return repaired_; }

 private:
  // Everything but a plain event that has ended. Returns its duration.
  [[gnu::noinline]] int64_t Odd(uint64_t begin, int64_t start, uint32_t dur,
                                uint32_t site_id, Site* site) {
    std::string_view reason;
    if (OutOfRange(start)) reason = kTimeRange;
    if ((site->flags & kSiteOdd) != 0) {
      *site = decoder_.sites_.Resolve(site_id);
      if ((site->flags & kSiteOdd) != 0 && reason.empty())
        reason = decoder_.sites_.RepairReason(site_id);
      site->flags &= static_cast<uint16_t>(~kSiteOdd);
    }
    int64_t length = 0;
    if (dur == STEPSCOPE_DUR_INSTANT) {
      site->flags |= kEventInstant;
    } else if (dur - 1 < STEPSCOPE_DUR_LIMIT) {
      length = std::max<int64_t>(clock_.ToNs(begin + (dur - 1)) - start, 0);
    } else {
      if (dur != 0 && reason.empty()) reason = kBadDuration;
      site->flags |= kEventOpenAtEnd;
      decoder_.open_.push_back(row_);
    }
    if (!reason.empty() && decoder_.has_clock_) {
      ++repaired_;
      decoder_.builder_.ledger().Repair(reason, run_.offset);
    }
    return length;
  }

  EventDecoder& decoder_;
  const RunInfo& run_;
  ClockCursor clock_;
  const int64_t offset_ns_;
  const std::span<const Site> sites_;
  const TraceBuilder::Rows rows_;
  const Row first_;
  Row row_;
  uint32_t next_slot_ = ~0u;
  uint64_t min_tick_ = ~uint64_t{0};
  uint64_t max_tick_ = 0;
  uint64_t side_records_ = 0;
  uint64_t repaired_ = 0;
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

Status EventDecoder::Reserve(uint64_t events) {
  STEPSCOPE_TRY(builder_.ReserveRows(events));
  rows_ = builder_.rows();
  capacity_ = events;
  return Ok();
}

RunCounts EventDecoder::DecodePacked(const RunInfo& run,
                                     std::span<const uint8_t> packed,
                                     bool* whole) {
  *whole = false;
  if (MaxEvents(run.header, packed.size()) > capacity_ - row_) return {};
  index_.BeginRun(run.header.chunk, run.header.incarnation,
                  run.header.first_slot);
  Sink sink(*this, run);
  *whole = format::DecodeSlots(packed.data(), packed.size(), run.header, sink);
  return FinishRun(run, sink);
}

RunCounts EventDecoder::DecodeSlots(const RunInfo& run,
                                    std::span<const Slot> slots) {
  if (slots.size() > capacity_ - row_) return {};
  index_.BeginRun(run.header.chunk, run.header.incarnation,
                  run.header.first_slot);
  Sink sink(*this, run);
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    const auto index = static_cast<uint32_t>(run.header.first_slot + i);
    if (slot.begin == 0) continue;
    if (!format::IsSide(slot.site)) {
      sink.Event(index, slot.begin, slot.dur, slot.site);
      continue;
    }
    const size_t payload = std::min<size_t>(format::SidePayloadSlots(slot.site),
                                            slots.size() - i - 1);
    sink.Side(index, slot, reinterpret_cast<const uint8_t*>(&slot + 1),
              static_cast<uint32_t>(payload));
    i += payload;
  }
  return FinishRun(run, sink);
}

RunCounts EventDecoder::FinishRun(const RunInfo& run, const Sink& sink) {
  row_ = sink.row();
  const RunCounts counts = {sink.row() - sink.first(), sink.side_records()};
  std::fill(rows_.track + sink.first(), rows_.track + sink.row(), run.track);
  index_.EndRun(sink.last_slot(), sink.min_tick(), sink.max_tick());
  if (has_clock_) {
    builder_.ledger().Keep(counts.events - sink.repaired());
  } else {
    builder_.ledger().Repair(kNoClock, run.offset, {}, counts.events);
  }
  return counts;
}

int64_t EventDecoder::LatestNs() const {
  int64_t latest = clock_.anchors().empty() && row_ > 0 ? rows_.start_ns[0]
                                                        : offset_ns_;
  for (Row row = 0; row < row_; ++row)
    latest = std::max(latest, rows_.start_ns[row] + rows_.dur_ns[row]);
  return latest;
}

std::vector<Row> EventDecoder::CloseOpenEvents(int64_t end_ns) {
  std::vector<Row> open;
  for (const Row row : open_) {
    if ((rows_.flags[row] & kEventOpenAtEnd) == 0) continue;
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
