// SPDX-License-Identifier: Apache-2.0
#include "exporters/perfetto/slices.h"

#include <algorithm>
#include <string>
#include <vector>

#include "exporters/arrows.h"
#include "exporters/by_row.h"
#include "exporters/perfetto/annotations.h"
#include "exporters/perfetto/begin_tails.h"
#include "exporters/perfetto/short_packets.h"

namespace stepscope::perfetto {
namespace {

using proto::kBytes;
using proto::kVarint;
using proto::Message;
using proto::Tag;

// One end of an arrow.
struct ArrowEnd {
  Row row;
  uint64_t id;
  bool last;
};

uint64_t ArrowId(uint64_t kind, uint64_t a, uint64_t b) {
  uint64_t hash = (a + kind * 0x9e3779b97f4a7c15u) * 0xd1342543de82ef95u;
  hash ^= hash >> 32;
  hash = (hash + b) * 0x2545f4914f6cdd1du;
  return (hash ^ hash >> 29) | 1;  // 0 is no id
}

std::vector<ArrowEnd> Arrows(const Trace& trace) {
  std::vector<ArrowEnd> ends;
  for (const Flow& flow : trace.flows()) {
    const Row row =
        EnclosingRow(trace, trace.tracks()[flow.track], flow.time_ns);
    if (row != kNoRow)
      ends.push_back({row, ArrowId(1, flow.id, flow.name.v),
                      flow.phase == FlowPhase::kEnd});
  }
  // An arrow of its own for each piece of work, or a reader would chain them.
  uint64_t launches = 0;
  ForEachLaunch(trace, [&](const Link* first, const Link* last) {
    const auto on_host = [&](const Link& link) {
      return link.row != kNoRow && !IsDeviceRow(trace, link.row);
    };
    const Link* const call = std::find_if(first, last, on_host);
    for (const Link* link = first; link != last; ++link) {
      if (link->row == kNoRow || on_host(*link)) continue;
      const uint64_t id = ArrowId(2, link->process, ++launches);
      ends.push_back({call->row, id, false});
      ends.push_back({link->row, id, true});
    }
  });
  std::stable_sort(
      ends.begin(), ends.end(),
      [](const ArrowEnd& a, const ArrowEnd& b) { return a.row < b.row; });
  return ends;
}

Tail EndTail(uint64_t uuid) {
  Tail event;
  event.Add(Tag(kType, kVarint));
  event.Add(kSliceEnd);
  event.Add(Tag(kTrackUuid, kVarint));
  event.Add(uuid);
  Tail tail;
  tail.Add(Tag(kSequenceId, kVarint));
  tail.Add(kSequence);
  tail.Add(Tag(kTrackEvent, kBytes));
  tail.Add(event.size);
  tail.AddBytes(event);
  return tail;
}

class Writer {
 public:
  Writer(const Trace& trace, int64_t zero_ns, bool dataflow,
         const Tracks& tracks, Packets& packets)
      : trace_(trace),
        zero_ns_(zero_ns),
        tracks_(tracks),
        packets_(packets),
        annotations_(trace, packets),
        links_(LinksByRow(trace)),
        arrows_(dataflow ? Arrows(trace) : std::vector<ArrowEnd>()),
        args_of_(trace.args()),
        links_of_(links_),
        arrows_of_(arrows_) {}

  void WriteTrack(uint32_t index) {
    const Track& track = trace_.tracks()[index];
    uuid_ = tracks_.uuid(index);
    args_of_.Seek(track.first);
    links_of_.Seek(track.first);
    arrows_of_.Seek(track.first);
    FindNextSpecial();
    end_tail_ = EndTail(uuid_);
    SetUpper(0);
    open_.resize(std::max(open_.size(), kSpareEnds));
    open_[0] = INT64_MAX;  // never ends
    depth_ = 1;
    for (Row row = track.first; row < track.last;) {
      if (packets_.out().failed()) return;
      const Row last =
          row + std::min<Row>(track.last - row, kRowsBetweenChecks);
      const Row usual = std::min(last, next_special_);
      row = WriteUsual(row, usual);
      if (row == last) continue;
      const bool instant = (trace_.flags()[row] & kEventInstant) != 0;
      WriteEnds(Time(trace_.start_ns()[row]));
      WriteSlowly(row, instant ? kInstant : kSliceBegin);
      if (!instant) Push(Time(trace_.end_ns(row)));
      ++row;
    }
    WriteEnds(INT64_MAX - 1);
  }

 private:
  static constexpr Row kRowsBetweenChecks = 1 << 16;
  static constexpr size_t kSpareEnds = 64;
  static constexpr Row kFound = 256;

  // Since the earliest of the trace; no trace is longer than 2^63 ns.
  int64_t Time(int64_t time_ns) const { return time_ns - zero_ns_; }

  void FindNextSpecial() {
    next_special_ = std::min(
        {args_of_.next_row(), links_of_.next_row(), arrows_of_.next_row()});
  }

  void Push(int64_t end) {
    if (depth_ == open_.size()) open_.resize(2 * depth_);
    open_[depth_++] = end;
  }

  // What is ready made is for times with these upper bits from here on.
  void SetUpper(int64_t upper) {
    upper_ = upper;
    tails_.Set(uuid_, static_cast<uint64_t>(upper));
    timed_end_.Set(static_cast<uint64_t>(upper), end_tail_);
  }
  static int64_t UpperOf(int64_t time) { return time >> kLowTimeBits; }

  void WriteEnds(int64_t until) {
    ShortPackets out(packets_.out());
    for (; open_[depth_ - 1] <= until; --depth_) {
      const int64_t end = open_[depth_ - 1];
      if (UpperOf(end) != upper_) SetUpper(UpperOf(end));
      out.Put(end, timed_end_);
    }
  }

  // Writes events that say no more than name, type and time. Returns the first
  // that does, or `last`.
  Row WriteUsual(Row row, Row last) {
    const uint16_t* const flags = trace_.flags().data();
    while (row < last) {
      const int64_t start = Time(trace_.start_ns()[row]);
      if (UpperOf(start) != upper_) {
        WriteEnds(start);
        SetUpper(UpperOf(start));
      }
      if (flags[row] != 0) {
        if (flags[row] != kEventInstant || trace_.raw_ref(row) != 0 ||
            !WriteInstant(row))
          return row;
        ++row;
        continue;
      }
      const Row end = row + std::min<Row>(last - row, kFound);
      const Row found = trace_.has_raw_args() ? Prepare<true>(row, end)
                                              : Prepare<false>(row, end);
      if (found == 0) return row;
      Emit(row, found);
      row += found;
    }
    return row;
  }

  // Finds the tails of events from `row` on, as far as they are usual, have no
  // flags and the upper bits of this time. Returns how many.
  template <bool kRawArgs>
  [[gnu::noinline]] Row Prepare(Row row, Row last) {
    const int64_t* const starts = trace_.start_ns().data();
    const auto is_now = [this](int64_t start) {
      return UpperOf(Time(start)) == upper_;
    };
    if (!is_now(starts[last - 1]))
      last = static_cast<Row>(
          std::partition_point(starts + row, starts + last, is_now) - starts);
    const Row first = row;
    const uint16_t* const types = trace_.type().data();
    const uint16_t* const flags = trace_.flags().data();
    const StringId* const names = trace_.name().data();
    const uint64_t first_key = tails_.first_key();
    for (; row < last; ++row) {
      if (flags[row] != 0 || (kRawArgs && trace_.raw_ref(row) != 0)) break;
      const uint64_t key =
          BeginTails::KeyOf(first_key, names[row], types[row], 0);
      BeginTails::Entry& entry = tails_.At(names[row], types[row]);
      if (entry.key != key) [[unlikely]] {
        // One that was found may refer to what stands there.
        if (row != first && entry.key >= first_key) break;
        if (!MakeTail(entry, key, row)) break;
      }
      found_[row - first] = &entry.tail;
    }
    return row - first;
  }

  // Writes the events whose tails were found. Apart from Prepare(), so that
  // what either needs stays in registers.
  [[gnu::always_inline]] void EmitAll(Row row, Row count) {
    if (open_.size() < depth_ + count) open_.resize(2 * (depth_ + count));
    const int64_t* const starts = trace_.start_ns().data() + row;
    const int64_t* const durs = trace_.dur_ns().data() + row;
    const int64_t zero = zero_ns_;
    ShortPackets out(packets_.out());
    const TimedTail end_tail = timed_end_;
    int64_t* top = &open_[depth_ - 1];
    for (size_t i = 0; i < count; ++i) {
      const int64_t start = starts[i] - zero;
      for (; *top <= start; --top) out.Put(*top, end_tail);
      out.Put(start, *found_[i]);
      *++top = start + durs[i];
    }
    depth_ = static_cast<size_t>(top - open_.data()) + 1;
  }
#if defined(__x86_64__)
  [[gnu::target("avx2"), gnu::noinline]] void EmitWide(Row row, Row count) {
    EmitAll(row, count);
  }
#endif
  [[gnu::noinline]] void Emit(Row row, Row count) {
#if defined(__x86_64__)
    static const bool wide = __builtin_cpu_supports("avx2") != 0;
    if (wide) return EmitWide(row, count);
#endif
    EmitAll(row, count);
  }

  // False: its name must be explained.
  bool WriteInstant(Row row) {
    const int64_t start = Time(trace_.start_ns()[row]);
    const StringId name = trace_.name()[row];
    const uint16_t type = trace_.type()[row];
    const uint64_t key = BeginTails::KeyOf(tails_.first_key(), name, type, 1);
    BeginTails::Entry& entry = tails_.At(name, type);
    if (entry.key != key && !MakeTail(entry, key, row)) return false;
    WriteEnds(start);
    ShortPackets(packets_.out()).Put(start, entry.tail);
    return true;
  }

  // Defines what the event refers to. False: its name must be explained.
  bool MakeTail(BeginTails::Entry& entry, uint64_t key, Row row) {
    const StringId name = trace_.name()[row];
    const uint64_t iid = packets_.NameIid(name);
    if (!packets_.IsValid(name)) return false;
    tails_.Make(entry, key, iid, packets_.CategoryIid(trace_.type()[row]));
    return true;
  }

  // An event that says more.
  void WriteSlowly(Row row, uint64_t type) {
    const uint64_t category = packets_.CategoryIid(trace_.type()[row]);
    event_.Clear();
    event_.Uint(kType, type);
    event_.Uint(kNameIid, packets_.NameIid(trace_.name()[row]));
    event_.Uint(kCategoryIids, category).Uint(kTrackUuid, uuid_);
    annotations_.Append(event_, row, args_of_.Take(row), links_of_.Take(row));
    for (const ArrowEnd& end : arrows_of_.Take(row))
      event_.Fixed(end.last ? kTerminatingFlowIds : kFlowIds, end.id);
    packets_.WriteEvent(static_cast<uint64_t>(Time(trace_.start_ns()[row])),
                        event_);
    FindNextSpecial();
  }

  const Trace& trace_;
  const int64_t zero_ns_;
  const Tracks& tracks_;
  Packets& packets_;
  Annotations annotations_;
  std::vector<Link> links_;
  std::vector<ArrowEnd> arrows_;
  ByRow<Arg> args_of_;
  ByRow<Link> links_of_;
  ByRow<ArrowEnd> arrows_of_;
  Row next_special_ = kNoRow;
  uint64_t uuid_ = 0;
  int64_t upper_ = 0;  // what the next two are for
  BeginTails tails_;
  TimedTail timed_end_;
  Tail end_tail_;
  const TimedTail* found_[kFound];
  std::vector<int64_t> open_;  // Time() of ends; the first depth_ count
  size_t depth_ = 0;
  Message event_;
};

}  // namespace

void WriteSlices(const Trace& trace, int64_t zero_ns, bool dataflow,
                 const Tracks& tracks, Packets& packets) {
  Writer writer(trace, zero_ns, dataflow, tracks, packets);
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) writer.WriteTrack(i);
}

}  // namespace stepscope::perfetto
