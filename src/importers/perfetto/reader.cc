// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/reader.h"

#include <zlib.h>

#include <algorithm>

#include "base/text.h"
#include "importers/perfetto/fields.h"
#include "importers/perfetto/packet_kinds.h"
#include "importers/proto/in_order.h"

namespace stepscope::pftrace {
namespace {

using proto::Bytes;
using proto::Delimited;
using proto::Fixed64;
using proto::Message;
using proto::Varint;

// How far a file is searched for what time it was.
constexpr size_t kLookAhead = size_t{1} << 20;

// What compressed packets may become: some bytes, and so many times their size.
// Real ones reach 10; deflate ends at 1032.
constexpr uint64_t kMostExpanded = uint64_t{1} << 20;
constexpr uint64_t kMostRatio = 400;

}  // namespace

Reader::Reader(const proto::Input& input, TraceBuilder& builder)
    : input_(input),
      out_(input.bytes, builder),
      tracks_(out_),
      types_(builder),
      slices_(out_, tracks_),
      annotations_(out_) {}

void Reader::Read() {
  // A slice is two packets, of 19 bytes each where they say little.
  out_.Expect(input_.bytes.size() / 38, 0, 0);
  ReadPackets(input_.bytes, true);
  Finish();
}

bool Reader::ReadPackets(Bytes bytes, bool whole_file) {
  const uint8_t* const readable = readable_;
  readable_ = bytes.data() + bytes.size();
  Message message(bytes, readable_);
  while (message.Next()) {
    if (whole_file) {
      offset_ = out_.Offset(message.field());
      next_ = message.bytes().data() + message.bytes().size();
    }
    if (message.tag() != tag::kPacket) {
      Reject("field that is no packet");
    } else if (message.cut()) {
      Packet packet;
      // What is there of compressed packets can be read.
      if (!in_compressed_) ParsePacket(message.bytes(), packet);
      if (!packet.compressed.empty())
        ReadCompressed(packet.compressed);
      else
        Reject(proto::kCutShort);
      if (whole_file) out_.FileEndsEarly(input_.path, message);
    } else if (!ReadQuickly(message.bytes())) {
      ReadPacket(message.bytes());
    }
  }
  if (!message.ok() && !message.cut()) {
    if (whole_file) offset_ = out_.Offset(message.field());
    Reject(proto::kUnreadable);
    if (whole_file) out_.builder().SetIncomplete();
  }
  readable_ = readable;
  return message.ok();
}

// Packets that hold a slice and nothing else, in the order in which our own
// writer states their fields. False, and nothing else: it is not such a one.
bool Reader::ReadQuickly(Bytes bytes) {
  proto::InOrder in(bytes, readable_);
  uint64_t time = 0;
  uint64_t number = 0;
  uint64_t flags = 0;
  Bytes event;
  if (!in.Number(tag::kTimestamp, &time) ||
      !in.Small(tag::kSequenceId, &number))
    return false;
  in.Small(tag::kSequenceFlags, &flags);
  if (!in.Sub(tag::kTrackEvent, &event) || !in.rest().empty() ||
      (flags & tag::kStateCleared) != 0)
    return false;
  proto::InOrder fields(event, readable_);
  PlainEvent plain;
  if (!fields.Small(tag::kType, &plain.type)) return false;
  if (plain.type == tag::kSliceBegin) {
    if (!fields.Number(tag::kNameIid, &plain.name_iid)) return false;
    fields.Small(tag::kCategoryIid, &plain.category_iid);
  } else if (plain.type != tag::kSliceEnd) {
    return false;
  }
  if (!fields.Number(tag::kTrackUuid, &plain.uuid) || !fields.rest().empty() ||
      !out_.epoch_set())
    return false;
  const Sequence& sequence = SequenceOf(number);
  if (!sequence.state || sequence.state->clock != 0) return false;
  TakePlain(time, plain, *sequence.state);
  return true;
}

bool Reader::ParsePacket(Bytes bytes, Packet& packet) {
  Message message(bytes, readable_);
  while (message.Next()) {
    switch (message.tag()) {
      case tag::kTimestamp:
        packet.time = message.value();
        packet.has_time = true;
        break;
      case tag::kSequenceId:
        packet.sequence = message.value();
        break;
      case tag::kSequenceFlags:
        packet.flags = message.value();
        break;
      case tag::kClockId:
        packet.clock = message.value();
        break;
      case tag::kPreviousDropped:
        packet.dropped = message.value() != 0;
        break;
      case tag::kFirstOnSequence:
        packet.first = message.value() != 0;
        break;
      case tag::kTrackEvent:
        packet.event = message.bytes();
        packet.has_event = true;
        break;
      case tag::kInternedData:
        packet.interned = message.bytes();
        break;
      case tag::kDefaults:
        packet.defaults = message.bytes();
        break;
      case tag::kTrackDescriptor:
        packet.descriptor = message.bytes();
        break;
      case tag::kClockSnapshot:
        packet.snapshot = message.bytes();
        break;
      case tag::kCompressed:
        packet.compressed = message.bytes();
        break;
      case tag::kProcessDescriptor:
        packet.process = message.bytes();
        break;
      case tag::kThreadDescriptor:
        packet.thread = message.bytes();
        break;
      case tag::kProcessTree:
        packet.tree = message.bytes();
        break;
      case tag::kFacts:
        packet.facts = message.bytes();
        break;
      default:
        switch (MeaningOf(message.number())) {
          case Meaning::kDetail:
            break;
          case Meaning::kAboutRecording:
            packet.about_recording = true;
            break;
          case Meaning::kUnread:
            packet.unread = message.number();
            break;
        }
        break;
    }
  }
  return message.ok();
}

void Reader::ReadPacket(Bytes bytes) {
  Packet packet;
  if (!ParsePacket(bytes, packet)) {
    Reject(proto::kUnreadable);
    return;
  }
  if (!packet.compressed.empty()) {
    if (in_compressed_)
      Reject("compressed packets within compressed packets");
    else
      ReadCompressed(packet.compressed);
    return;
  }
  TakePacket(packet);
}

void Reader::TakePacket(const Packet& packet) {
  Sequence& sequence = SequenceOf(packet.sequence);
  if ((packet.flags & tag::kStateCleared) != 0) {
    sequence.state.reset();
    sequence.cleared = true;
    sequence.Make();
  } else if (packet.dropped && sequence.seen && !packet.first) {
    // What it stated since may be wrong now.
    ++lost_;
    sequence.state.reset();
    sequence.cleared = false;
  }
  sequence.seen = true;
  if (!packet.snapshot.empty()) clocks_.Learn(packet.sequence, packet.snapshot);
  if (!packet.facts.empty()) ReadFileFacts(packet.facts);
  if (!packet.defaults.empty()) ReadDefaults(sequence.Make(), packet.defaults);
  if (!packet.interned.empty()) ReadInterned(sequence.Make(), packet.interned);
  if (!packet.descriptor.empty()) {
    FindEpoch();
    tracks_.Describe(packet.descriptor);
  }
  if (!packet.process.empty()) tracks_.DescribeProcess(packet.process);
  if (!packet.thread.empty()) ReadThreadDescriptor(sequence, packet.thread);
  if (!packet.tree.empty()) tracks_.ReadProcessTree(packet.tree);
  if (packet.has_event) {
    TakeEvent(packet, sequence, ParseEvent(packet.event));
    return;
  }
  if (packet.unread != 0) {
    Reject(ReasonOf(packet.unread));
    return;
  }
  ++kept_;
}

Sequence& Reader::LookUp(uint64_t number) {
  last_sequence_ = &sequences_[number];
  last_sequence_->number = number;
  return *last_sequence_;
}

void Reader::ReadInterned(Sequence::State& state, Bytes data) {
  Message message(data, readable_);
  while (message.Next()) {
    Interned* table = nullptr;
    switch (message.tag()) {
      case tag::kNameEntry:
        table = &state.names;
        break;
      case tag::kCategoryEntry:
        table = &state.categories;
        break;
      case tag::kKeyEntry:
        table = &state.keys;
        break;
      case tag::kStringEntry:
        table = &state.texts;
        break;
      default:
        continue;
    }
    uint64_t iid = 0;
    std::string_view text;
    Message entry(message.bytes());
    while (entry.Next()) {
      if (entry.tag() == tag::kIid) iid = entry.value();
      if (entry.tag() == tag::kEntryText) text = entry.text();
    }
    table->Set(iid, table == &state.categories ? types_.Add(text)
                                               : out_.Intern(text).v);
  }
}

void Reader::ReadDefaults(Sequence::State& state, Bytes defaults) {
  state.clock = 0;
  state.has_track = false;
  state.extra_uuids.clear();
  state.extra_double_uuids.clear();
  Message message(defaults);
  while (message.Next()) {
    if (message.tag() == tag::kClockId) state.clock = message.value();
    if (message.tag() != tag::kTrackEvent) continue;
    Message event(message.bytes());
    while (event.Next()) {
      switch (event.tag()) {
        case tag::kTrackUuid:
          state.track = event.value();
          state.has_track = true;
          break;
        case tag::kExtraUuid:
        case tag::kExtraUuids:
          proto::ForEachVarint(
              event, [&](uint64_t id) { state.extra_uuids.push_back(id); });
          break;
        case tag::kExtraDoubleUuid:
        case tag::kExtraDoubleUuids:
          proto::ForEachVarint(event, [&](uint64_t id) {
            state.extra_double_uuids.push_back(id);
          });
          break;
        default:
          break;
      }
    }
  }
}

void Reader::ReadThreadDescriptor(Sequence& sequence, Bytes descriptor) {
  sequence.Make().thread = tracks_.DescribeThread(descriptor);
  Message message(descriptor);
  while (message.Next()) {
    if (message.tag() != tag::kReferenceUs) continue;
    sequence.reference_us = message.sint();
    sequence.has_reference = true;
  }
}

void Reader::FindEpoch() {
  if (out_.epoch_set()) return;
  if (!clocks_.epoch_ns()) LearnClocksAhead(kLookAhead);
  if (const auto epoch = clocks_.epoch_ns()) out_.SetEpoch(*epoch, true);
}

// Snapshots are at the beginning as a rule, but need not be.
void Reader::LearnClocksAhead(size_t limit) {
  if (looked_ahead_ >= limit || in_compressed_) return;
  looked_ahead_ = limit;
  const uint8_t* const end = input_.bytes.data() + input_.bytes.size();
  const auto left = static_cast<size_t>(end - next_);
  Message message(Bytes(next_, std::min(left, limit)));
  while (message.Next()) {
    Packet packet;
    if (message.tag() == tag::kPacket && !message.cut() &&
        ParsePacket(message.bytes(), packet) && !packet.snapshot.empty())
      clocks_.Learn(packet.sequence, packet.snapshot);
  }
}

void Reader::ReadFileFacts(Bytes said) {
  FindEpoch();
  int64_t begin = 0;
  int64_t end = 0;
  bool has_window = false;
  CpuUsage usage;
  Message message(said);
  while (message.Next()) {
    switch (message.tag()) {
      case Delimited(facts::kWriter):
        own_ = message.text().starts_with("stepscope ");
        break;
      case Varint(facts::kWindowBegin):
        begin = message.sint();
        break;
      case Varint(facts::kWindowEnd):
        end = message.sint();
        has_window = true;
        break;
      case Fixed64(facts::kProcessCpu):
        usage.process = message.real();
        break;
      case Fixed64(facts::kSystemCpu):
        usage.system = message.real();
        break;
      case Varint(facts::kIncomplete):
        if (message.value() != 0) out_.builder().SetIncomplete();
        break;
      case Delimited(facts::kFlow):
        ReadFlowFact(message.bytes());
        break;
      default:
        break;
    }
  }
  if (usage.process >= 0 || usage.system >= 0)
    out_.builder().MergeCpuUsage(usage);
  if (has_window && out_.Shift(&begin) && out_.Shift(&end) && begin <= end)
    out_.builder().AddWindow(begin, end);
}

void Reader::ReadFlowFact(Bytes fact) {
  Flow flow;
  uint64_t group = 0;
  Message message(fact);
  while (message.Next()) {
    switch (message.tag()) {
      case Varint(facts::kFlowTime):
        flow.time_ns = message.sint();
        break;
      case Varint(facts::kFlowId):
        flow.id = message.value();
        break;
      case Delimited(facts::kFlowName):
        flow.name = out_.Intern(message.text());
        break;
      case Varint(facts::kFlowGroup):
        group = message.value();
        break;
      case Varint(facts::kFlowPhase):
        flow.phase = message.value() == 0   ? FlowPhase::kBegin
                     : message.value() == 1 ? FlowPhase::kStep
                                            : FlowPhase::kEnd;
        break;
      default:
        break;
    }
  }
  flow.track = tracks_.FindGroup(group);
  if (flow.track != kNone && out_.Shift(&flow.time_ns))
    out_.builder().AddFlow(flow);
}

// The packets within are the records; this one is none, unless it is damaged.
void Reader::ReadCompressed(Bytes packed) {
  std::vector<uint8_t> plain;
  z_stream stream = {};
  constexpr int kZlibOrGzip = 15 + 32;
  if (inflateInit2(&stream, kZlibOrGzip) != Z_OK) {
    Reject(proto::kNoMemory);
    return;
  }
  stream.next_in = const_cast<Bytef*>(packed.data());
  stream.avail_in =
      static_cast<uInt>(std::min<size_t>(packed.size(), size_t{1} << 30));
  int code = Z_OK;
  while (code == Z_OK) {
    const size_t size = plain.size();
    plain.resize(size + std::max<size_t>(size, size_t{64} << 10));
    stream.next_out = plain.data() + size;
    stream.avail_out = static_cast<uInt>(plain.size() - size);
    code = inflate(&stream, Z_NO_FLUSH);
    plain.resize(plain.size() - stream.avail_out);
    if (plain.size() > kMostExpanded + packed.size() * kMostRatio) {
      inflateEnd(&stream);
      Reject("compressed packets that expand too much");
      return;
    }
    if (plain.size() == size && code == Z_OK) break;
  }
  inflateEnd(&stream);
  in_compressed_ = true;
  const bool whole = ReadPackets(plain, false);
  in_compressed_ = false;
  // A packet that was cut has been counted.
  if (code != Z_STREAM_END && whole)
    Reject("compressed packets that are damaged or cut short");
}

void Reader::Finish() {
  int64_t end = std::max(last_ns_, int64_t{INT64_MIN + 1});
  slices_.Finish(end);
  arrows_.Finish(out_.builder());
  tracks_.Finish();
  TraceBuilder& builder = out_.builder();
  for (const Annotations::PendingLink& pending : annotations_.links())
    builder.AddLink({builder.track(builder.track_of(pending.row)).process,
                     pending.space, pending.id, pending.row});
  builder.ledger().Keep(kept_ + slices_.kept());
  if (lost_ > 0)
    builder.AddNote(Format(
        "%s: packets are missing in %llu places: the recorder's buffer was "
        "full",
        input_.path.c_str(), static_cast<unsigned long long>(lost_)));
}

}  // namespace stepscope::pftrace
