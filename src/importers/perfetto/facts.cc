// SPDX-License-Identifier: Apache-2.0
//
// What our own files say of processes and tracks; see
// exporters/perfetto/facts.h.
#include "importers/perfetto/fields.h"
#include "importers/perfetto/track_table.h"

namespace stepscope::pftrace {
namespace {

using proto::Bytes;
using proto::Delimited;
using proto::Message;
using proto::Varint;

}  // namespace

void TrackTable::ReadProcessFacts(Bytes said, TrackInfo& info) {
  Process process;
  uint64_t number = 0;
  Message message(said);
  while (message.Next()) {
    switch (message.tag()) {
      case Varint(facts::kProcess):
        number = message.value();
        break;
      case Varint(facts::kId):
        process.pid = message.sint();
        break;
      case Varint(facts::kRank):
        process.rank = message.sint();
        break;
      case Delimited(facts::kName):
        process.name = out_.Intern(message.text());
        break;
      case Delimited(facts::kHost):
        process.host = out_.Intern(message.text());
        break;
      case Varint(facts::kStart): {
        int64_t start = message.sint();
        if (out_.Shift(&start)) process.start_ns = start;
        break;
      }
      case Delimited(facts::kMetadata): {
        StringId key, value;
        Message entry(message.bytes());
        while (entry.Next()) {
          if (entry.tag() == Delimited(facts::kKey))
            key = out_.Intern(entry.text());
          if (entry.tag() == Delimited(facts::kValue))
            value = out_.Intern(entry.text());
        }
        process.metadata.emplace_back(key, value);
        break;
      }
      default:
        break;
    }
  }
  info.kind = TrackInfo::Kind::kProcess;
  if (info.process == kNone) info.process = out_.builder().AddProcess({});
  // Files that were put together may use a number again: the last one counts.
  own_processes_[number] = info.process;
  out_.builder().process(info.process) = std::move(process);
}

void TrackTable::ReadFacts(Bytes said, TrackInfo& info) {
  uint64_t kind = 0;
  uint64_t process = 0;
  uint64_t group = 0;
  Track track;
  Message message(said);
  while (message.Next()) {
    switch (message.tag()) {
      case Varint(facts::kKind):
        kind = message.value();
        break;
      case Varint(facts::kProcess):
        process = message.value();
        break;
      case Varint(facts::kGroup):
        group = message.value();
        break;
      case Varint(facts::kId):
        track.id = message.sint();
        break;
      case Varint(facts::kDevice):
        track.device = message.sint();
        break;
      case Delimited(facts::kDeviceType):
        track.device_type = out_.Intern(message.text());
        break;
      case Delimited(facts::kName):
        track.name = out_.Intern(message.text());
        break;
      default:
        break;
    }
  }
  const auto known = groups_.find(group);
  switch (kind) {
    case facts::kThread:
      track.kind = TrackKind::kThread;
      break;
    case facts::kStream:
      track.kind = TrackKind::kStream;
      break;
    case facts::kCounter:
      track.kind = TrackKind::kCounter;
      break;
    case facts::kAsync:
      track.kind = TrackKind::kAsync;
      break;
    case facts::kProcessKind:
      ReadProcessFacts(said, info);
      return;
    case facts::kForViewers:
      info.kind = TrackInfo::Kind::kForViewers;
      return;
    case facts::kMemoryRow:
      if (known == groups_.end() || info.track != kNone) return;
      info.kind = TrackInfo::Kind::kMemoryRow;
      info.track = known->second;
      info.own = true;
      return;
    default:
      return;
  }
  // Damage may have taken the process; then the usual fields say what it is.
  const auto owner = own_processes_.find(process);
  if (owner == own_processes_.end() || info.track != kNone) return;
  track.process = owner->second;
  info.process = owner->second;
  info.own = true;
  // Lanes are laid out anew.
  if (known == groups_.end()) groups_[group] = out_.builder().AddTrack(track);
  info.track = groups_[group];
}

}  // namespace stepscope::pftrace
