// SPDX-License-Identifier: Apache-2.0
#include "exporters/perfetto/slices.h"

#include <algorithm>
#include <cstring>
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

// Bytes that many events have in common.
struct Piece {
  char bytes[16] = {};
  size_t size = 0;

  void Add(uint64_t value) {
    size = static_cast<size_t>(PutVarint(bytes + size, value) - bytes);
  }
  char* Put(char* p) const {
    std::memcpy(p, bytes, sizeof(bytes));
    return p + size;
  }
};

// Short packets, written with a pointer that stays in a register. Lengths are
// one byte each. packet = length { time, sequence, flags, event = length {} }
class ShortPackets {
 public:
  static constexpr uint64_t kTimeLimit = uint64_t{1} << 56;

  explicit ShortPackets(OutBuffer& out) : out_(out) { Resume(); }
  ~ShortPackets() { Suspend(); }
  ShortPackets(const ShortPackets&) = delete;
  ShortPackets& operator=(const ShortPackets&) = delete;

  // Around everything else that writes to the buffer.
  void Suspend() { out_.Commit(p_); }
  void Resume() {
    p_ = out_.Reserve(kStretch);
    limit_ = p_ + kStretch - kMaxBytes;
  }

  void SetTrack(uint64_t uuid) {
    Piece event;
    event.Add(Tag(kType, kVarint));
    event.Add(kSliceEnd);
    event.Add(Tag(kTrackUuid, kVarint));
    event.Add(uuid);
    end_ = {};
    end_.Add(Tag(kSequenceId, kVarint));
    end_.Add(kSequence);
    end_.Add(Tag(kTrackEvent, kBytes));
    end_.Add(event.size);
    end_event_ = event;
  }
  // `rest`: what follows the name.
  void PutBegin(uint64_t time, uint64_t type, const Packets::Field& name,
                const Piece& rest) {
    // The event's length is below.
    constexpr uint64_t kMiddle =
        Tag(kSequenceId, kVarint) | kSequence << 8 |
        uint64_t{Tag(kSequenceFlags, kVarint)} << 16 | kNeedsState << 24 |
        uint64_t{Tag(kTrackEvent, kBytes)} << 32 |
        uint64_t{Tag(kType, kVarint)} << 48;
    const size_t event = 2 + name.size + rest.size;
    char* const start = Room();
    char* p = PutTime(start, time);
    const uint64_t middle = kMiddle | uint64_t{event} << 40 | type << 56;
    std::memcpy(p, &middle, sizeof(middle));
    std::memcpy(p + 8, &name.bytes, sizeof(name.bytes));
    Finish(start, rest.Put(p + 8 + name.size));
  }
  void PutEnd(uint64_t time) {
    char* const start = Room();
    Finish(start, end_event_.Put(end_.Put(PutTime(start, time))));
  }

 private:
  static constexpr size_t kStretch = size_t{16} << 10;
  static constexpr size_t kMaxBytes = 96;

  char* Room() {
    if (p_ > limit_) [[unlikely]] {
      Suspend();
      Resume();
    }
    return p_;
  }
  // Leaves room for the length.
  static char* PutTime(char* start, uint64_t time) {
    constexpr uint32_t kHead = Tag(kTracePacket, kBytes) |
                               Tag(kTimestamp, kVarint) << 16;
    std::memcpy(start, &kHead, sizeof(kHead));
    if (time < kTimeLimit) [[likely]]
      return proto::PutVarint56(start + 3, time);
    return PutVarint(start + 3, time);
  }
  void Finish(char* start, char* end) {
    start[1] = static_cast<char>(end - start - 2);
    p_ = end;
  }

  OutBuffer& out_;
  char* p_ = nullptr;
  char* limit_ = nullptr;
  Piece end_;
  Piece end_event_;
};

class Writer {
 public:
  Writer(const Trace& trace, int64_t zero_ns, bool dataflow,
         const Tracks& tracks, Packets& packets)
      : trace_(trace),
        zero_ns_(static_cast<uint64_t>(zero_ns)),
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
    ShortPackets out(packets_.out());
    out.SetTrack(uuid_);
    const int64_t* const starts = trace_.start_ns().data();
    const int64_t* const durs = trace_.dur_ns().data();
    const uint16_t* const types = trace_.type().data();
    const uint16_t* const flags = trace_.flags().data();
    const StringId* const names = trace_.name().data();
    const bool raw = trace_.has_raw_args();
    for (Piece& rest : rests_) rest = {};
    open_.assign(1, INT64_MAX);  // never ends
    for (Row row = track.first; row < track.last; ++row) {
      const int64_t start = starts[row];
      while (open_.back() <= start) {
        out.PutEnd(Time(open_.back()));
        open_.pop_back();
      }
      const bool instant = (flags[row] & kEventInstant) != 0;
      const Packets::Field& name = packets_.KnownName(names[row]);
      if (row == next_special_ || flags[row] > kEventInstant ||
          name.size == 0 || !name.valid ||
          rests_[types[row] % kRests].size == 0 ||
          types[row] >= kRests || (raw && trace_.raw_ref(row) != 0))
          [[unlikely]] {
        out.Suspend();
        const bool failed = packets_.out().failed();
        if (!failed) WriteSlowly(row, instant ? kInstant : kSliceBegin);
        out.Resume();
        if (failed) return;
      } else {
        out.PutBegin(Time(start), instant ? kInstant : kSliceBegin, name,
                     rests_[types[row]]);
      }
      if (!instant) open_.push_back(start + durs[row]);
    }
    for (; open_.size() > 1; open_.pop_back())
      out.PutEnd(Time(open_.back()));
  }

 private:
  static constexpr size_t kRests = 64;

  uint64_t Time(int64_t time_ns) const {
    return static_cast<uint64_t>(time_ns) - zero_ns_;
  }

  void FindNextSpecial() {
    next_special_ = std::min({args_of_.next_row(), links_of_.next_row(),
                              arrows_of_.next_row()});
  }

  // An event that says more, or the first of its name or type.
  void WriteSlowly(Row row, uint64_t type) {
    const uint64_t category = packets_.CategoryIid(trace_.type()[row]);
    if (trace_.type()[row] < kRests) {
      Piece& rest = rests_[trace_.type()[row]];
      rest = {};
      rest.Add(Tag(kCategoryIids, kVarint));
      rest.Add(category);
      rest.Add(Tag(kTrackUuid, kVarint));
      rest.Add(uuid_);
    }
    event_.Clear();
    event_.Uint(kType, type);
    event_.Uint(kNameIid, packets_.NameIid(trace_.name()[row]));
    event_.Uint(kCategoryIids, category).Uint(kTrackUuid, uuid_);
    annotations_.Append(event_, row, args_of_.Take(row), links_of_.Take(row));
    for (const ArrowEnd& end : arrows_of_.Take(row))
      event_.Fixed(end.last ? kTerminatingFlowIds : kFlowIds, end.id);
    packets_.WriteEvent(Time(trace_.start_ns()[row]), event_);
    FindNextSpecial();
  }

  const Trace& trace_;
  const uint64_t zero_ns_;
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
  Piece rests_[kRests];        // by type, for this track
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
