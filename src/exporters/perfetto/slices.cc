// SPDX-License-Identifier: Apache-2.0
#include "exporters/perfetto/slices.h"

#include <algorithm>
#include <string>
#include <vector>

#include "exporters/arrows.h"
#include "exporters/by_row.h"
#include "exporters/perfetto/annotations.h"

namespace stepscope::perfetto {
namespace {

using proto::kBytes;
using proto::kVarint;
using proto::Message;
using proto::PutVarint;
using proto::Tag;
using proto::VarintBytes;

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
    open_.clear();
    for (Row row = track.first; row < track.last; ++row) {
      if (packets_.out().failed()) return;
      const int64_t start = trace_.start_ns()[row];
      CloseUpTo(start);
      WriteBegin(row, Time(start));
      if ((trace_.flags()[row] & kEventInstant) == 0)
        open_.push_back(trace_.end_ns(row));
    }
    CloseUpTo(INT64_MAX);
  }

 private:
  uint64_t Time(int64_t time_ns) const {
    return static_cast<uint64_t>(time_ns - zero_ns_);
  }

  // Events nest, so the last one opened ends first.
  void CloseUpTo(int64_t time_ns) {
    while (!open_.empty() && open_.back() <= time_ns) {
      PutEnd(Time(open_.back()));
      open_.pop_back();
    }
  }

  bool HasMore(Row row) const {
    return (trace_.flags()[row] & ~kEventInstant) != 0 ||
           args_of_.next_row() == row || links_of_.next_row() == row ||
           arrows_of_.next_row() == row || trace_.raw_ref(row) != 0;
  }

  void WriteBegin(Row row, uint64_t time) {
    const uint64_t name = packets_.NameIid(trace_.name()[row]);
    const uint64_t category = packets_.CategoryIid(trace_.type()[row]);
    const bool instant = (trace_.flags()[row] & kEventInstant) != 0;
    const uint64_t type = instant ? kInstant : kSliceBegin;
    if (HasMore(row) || !packets_.IsValid(trace_.name()[row])) [[unlikely]] {
      WriteLong(row, time, type, name, category);
      return;
    }
    PutShort(time, type, name, category);
  }

  static constexpr size_t kShortBytes = 64;

  // Everything in 64 bytes, lengths in one byte each.
  void PutShort(uint64_t time, uint64_t type, uint64_t name,
                uint64_t category) {
    const size_t event = 2 + 1 + VarintBytes(name) + 1 +
                         VarintBytes(category) + 1 + VarintBytes(uuid_);
    char* p = packets_.out().Reserve(kShortBytes);
    p = PutHead(p, time, event);
    *p++ = static_cast<char>(Tag(kType, kVarint));
    *p++ = static_cast<char>(type);
    *p++ = static_cast<char>(Tag(kNameIid, kVarint));
    p = PutVarint(p, name);
    *p++ = static_cast<char>(Tag(kCategoryIids, kVarint));
    p = PutVarint(p, category);
    p = PutUuid(p);
    packets_.out().Commit(p);
  }
  void PutEnd(uint64_t time) {
    char* p = packets_.out().Reserve(kShortBytes);
    p = PutHead(p, time, 2 + 1 + VarintBytes(uuid_));
    *p++ = static_cast<char>(Tag(kType, kVarint));
    *p++ = static_cast<char>(kSliceEnd);
    p = PutUuid(p);
    packets_.out().Commit(p);
  }
  // From the packet's tag to the event's length.
  static char* PutHead(char* p, uint64_t time, size_t event_bytes) {
    const size_t packet = 1 + VarintBytes(time) + 2 + 2 + 2 + event_bytes;
    *p++ = static_cast<char>(Tag(kTracePacket, kBytes));
    *p++ = static_cast<char>(packet);
    *p++ = static_cast<char>(Tag(kTimestamp, kVarint));
    p = PutVarint(p, time);
    *p++ = static_cast<char>(Tag(kSequenceId, kVarint));
    *p++ = static_cast<char>(kSequence);
    *p++ = static_cast<char>(Tag(kSequenceFlags, kVarint));
    *p++ = static_cast<char>(kNeedsState);
    *p++ = static_cast<char>(Tag(kTrackEvent, kBytes));
    *p++ = static_cast<char>(event_bytes);
    return p;
  }
  char* PutUuid(char* p) const {
    *p++ = static_cast<char>(Tag(kTrackUuid, kVarint));
    return PutVarint(p, uuid_);
  }

  void WriteLong(Row row, uint64_t time, uint64_t type, uint64_t name,
                 uint64_t category) {
    event_.Clear();
    event_.Uint(kType, type).Uint(kNameIid, name);
    event_.Uint(kCategoryIids, category).Uint(kTrackUuid, uuid_);
    annotations_.Append(event_, row, args_of_.Take(row), links_of_.Take(row));
    for (const ArrowEnd& end : arrows_of_.Take(row))
      event_.Fixed(end.last ? kTerminatingFlowIds : kFlowIds, end.id);
    packets_.WriteEvent(time, event_);
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
  uint64_t uuid_ = 0;
  std::vector<int64_t> open_;  // ends, innermost last
  Message event_;
};

}  // namespace

void WriteSlices(const Trace& trace, int64_t zero_ns, bool dataflow,
                 const Tracks& tracks, Packets& packets) {
  Writer writer(trace, zero_ns, dataflow, tracks, packets);
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) writer.WriteTrack(i);
}

}  // namespace stepscope::perfetto
