// SPDX-License-Identifier: Apache-2.0
//
// Reader: one Perfetto file. Every packet is in one bin of the ledger. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "importers/perfetto/annotations.h"
#include "importers/perfetto/arrows.h"
#include "importers/perfetto/clocks.h"
#include "importers/perfetto/sequence.h"
#include "importers/perfetto/slices.h"
#include "importers/perfetto/track_table.h"
#include "importers/perfetto/types.h"
#include "importers/proto/proto_importer.h"
#include "importers/proto/recorder.h"

namespace stepscope::pftrace {

// A TracePacket, as far as it is read.
struct Packet {
  uint64_t time = 0;
  uint64_t sequence = 0;
  uint64_t flags = 0;
  uint64_t clock = 0;  // 0: the default
  bool has_time = false;
  bool dropped = false;  // others before it
  bool first = false;    // of its sequence
  bool has_event = false;
  bool about_recording = false;  // nothing of the timeline
  proto::Bytes event, interned, defaults, descriptor, snapshot, facts;
  proto::Bytes compressed, process, thread, tree;
  uint32_t unread = 0;  // number of the field that is not read
};

// A TrackEvent, as far as it is read at once.
struct Event {
  uint64_t type = 0;
  uint64_t name_iid = 0;
  uint64_t category_iid = 0;
  uint64_t uuid = 0;
  std::string_view name;
  uint32_t category = kNone;  // of Types
  bool has_name_iid = false;
  bool has_category_iid = false;
  bool has_uuid = false;
  bool has_value = false;
  bool has_double = false;
  bool has_annotations = false;
  bool has_flows = false;
  bool has_extra = false;
  bool has_delta = false;
  bool has_absolute = false;
  bool has_legacy = false;
  uint64_t value = 0;   // of the counter
  int64_t time_us = 0;  // delta or absolute
  proto::Bytes legacy;
  proto::Bytes bytes;  // all of it
};

// The same of a begin or an end that says no more than it must.
struct PlainEvent {
  uint64_t type = 0;
  uint64_t name_iid = 0;
  uint64_t category_iid = 0;  // 0: none
  uint64_t uuid = 0;
};

class Reader {
 public:
  Reader(const proto::Input& input, TraceBuilder& builder);

  void Read();

 private:
  // One event on its way.
  struct Current {
    const Event& event;
    Sequence& sequence;
    uint32_t index = 0;  // of the track
    int64_t time_ns = 0;
    StringId name;
    uint32_t category = 0;  // of Types
    std::string_view repair;
  };

  // False: the bytes end within a packet, which has been counted.
  bool ReadPackets(proto::Bytes bytes, bool whole_file);
  void ReadPacket(proto::Bytes bytes);
  bool ReadQuickly(proto::Bytes bytes);
  bool ParsePacket(proto::Bytes bytes, Packet& packet);
  void TakePacket(const Packet& packet);
  void ReadCompressed(proto::Bytes packed);
  void ReadFileFacts(proto::Bytes facts);
  void ReadFlowFact(proto::Bytes fact);
  void ReadInterned(Sequence::State& state, proto::Bytes data);
  void ReadDefaults(Sequence::State& state, proto::Bytes defaults);
  void ReadThreadDescriptor(Sequence& sequence, proto::Bytes descriptor);
  Sequence& SequenceOf(uint64_t number) {
    if (last_sequence_ != nullptr && last_sequence_->number == number)
        [[likely]]
      return *last_sequence_;
    return LookUp(number);
  }
  Sequence& LookUp(uint64_t number);
  // Looks for what says which time it was, before the first time is used.
  void FindEpoch();
  void LearnClocksAhead(size_t limit);

  Event ParseEvent(proto::Bytes bytes) const;
  void TakeEvent(const Packet& packet, Sequence& sequence, const Event& event);
  bool TimeOf(const Packet& packet, Sequence& sequence, const Event& event,
              int64_t* time_ns);
  void TakePlain(uint64_t time, const PlainEvent& event,
                 const Sequence::State& state);
  void Dispatch(Current& current);
  void AddBegin(Current& current);
  void AddEnd(Current& current);
  void AddInstant(Current& current);
  void AddComplete(Current& current, int64_t dur_ns);
  void AddCounter(Current& current);
  void AddMemory(Current& current);
  void AddExtraCounters(Current& current);
  void AddFlows(Current& current, uint32_t track);
  void AddSample(Sequence& sequence, uint32_t index, int64_t time_ns,
                 bool integer, uint64_t bits);
  // legacy.cc
  void TakeLegacy(Current& current);
  void AddLegacyCounters(Current& current);
  Row AddRow(Current& current, int64_t dur_ns, uint16_t flags);
  StringId NameOf(const Event& event, const Sequence& sequence,
                  std::string_view* repair);
  uint32_t CategoryOf(const Event& event, const Sequence& sequence);
  void Count(std::string_view repair, StringId name = {});
  void Reject(std::string_view reason, std::string_view what = {}) {
    out_.ledger().Reject(reason, offset_, what);
  }
  void Finish();

  const proto::Input& input_;
  proto::Recorder out_;
  TrackTable tracks_;
  Types types_;
  Slices slices_;
  Annotations annotations_;
  Arrows arrows_;
  Clocks clocks_;
  std::unordered_map<uint64_t, Sequence> sequences_;
  Sequence* last_sequence_ = nullptr;
  const uint8_t* readable_ = nullptr;  // end of the bytes in work
  const uint8_t* next_ = nullptr;      // packet of the file
  uint64_t offset_ = 0;                // of the packet in work
  uint64_t kept_ = 0;
  uint64_t lost_ = 0;  // places where packets are missing
  int64_t last_ns_ = INT64_MIN;
  bool own_ = false;  // the file is ours
  bool in_compressed_ = false;
  size_t looked_ahead_ = 0;  // bytes at most
};

}  // namespace stepscope::pftrace
