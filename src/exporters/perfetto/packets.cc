// SPDX-License-Identifier: Apache-2.0
#include "exporters/perfetto/packets.h"

#include <stepscope/c.h>

#include <algorithm>

#include "base/utf8.h"
#include "exporters/perfetto/facts.h"
#include "trace/event_type.h"

namespace stepscope::perfetto {
namespace {

using proto::Message;

// What the file says of itself as a whole.
Message FileFacts(const Trace& trace, int64_t zero_ns) {
  const auto since = [zero_ns](int64_t time) {
    return static_cast<uint64_t>(time) - static_cast<uint64_t>(zero_ns);
  };
  Message out;
  out.Text(facts::kWriter, "stepscope " STEPSCOPE_VERSION);
  out.Uint(facts::kWindowBegin, since(trace.begin_ns()));
  out.Uint(facts::kWindowEnd, since(trace.end_ns()));
  if (trace.cpu_usage().process >= 0)
    out.Double(facts::kProcessCpu, trace.cpu_usage().process);
  if (trace.cpu_usage().system >= 0)
    out.Double(facts::kSystemCpu, trace.cpu_usage().system);
  if (!trace.complete()) out.Uint(facts::kIncomplete, 1);
  return out;
}

// The number of `text` in `list`, to which it is added.
uint64_t IndexOf(std::vector<std::string>& list, std::string_view text,
                 bool& fresh) {
  const auto found = std::find(list.begin(), list.end(), text);
  fresh = found == list.end();
  const auto index = static_cast<uint64_t>(found - list.begin());
  if (fresh) list.emplace_back(text);
  return index;
}

}  // namespace

Packets::Packets(const Trace& trace, OutBuffer& out)
    : trace_(trace),
      out_(out),
      names_(trace.strings().size()),
      keys_(trace.strings().size()) {}

void Packets::Write(const Message& packet) {
  Message head;
  head.Head(kTracePacket, packet.view().size());
  out_.Append(head.view());
  out_.Append(packet.view());
}

void Packets::WriteStart(int64_t zero_ns) {
  packet_.Clear();
  packet_.Uint(kSequenceId, kSequence).Uint(kSequenceFlags, kStateCleared);
  if (trace_.clock().epoch_known) {
    const auto clock = [](uint64_t id, int64_t time) {
      Message message;
      message.Uint(kClockId, id).Int(kClockTime, time);
      return message;
    };
    Message snapshot;
    snapshot.Sub(kClocks, clock(kBoottime, 0));
    snapshot.Sub(kClocks, clock(kRealtime, trace_.epoch_ns() + zero_ns));
    packet_.Sub(kClockSnapshot, snapshot);
  }
  packet_.Sub(facts::kFacts, FileFacts(trace_, zero_ns));
  Write(packet_);
}

void Packets::WriteFact(const Message& fact) {
  packet_.Clear();
  packet_.Uint(kSequenceId, kSequence).Sub(facts::kFacts, fact);
  Write(packet_);
}

void Packets::WriteDescriptor(const Message& descriptor) {
  packet_.Clear();
  packet_.Uint(kSequenceId, kSequence);
  packet_.Sub(kTrackDescriptor, descriptor);
  Write(packet_);
}

void Packets::WriteEvent(uint64_t time_ns, const Message& event) {
  packet_.Clear();
  packet_.Uint(kTimestamp, time_ns).Uint(kSequenceId, kSequence);
  packet_.Uint(kSequenceFlags, kNeedsState).Sub(kTrackEvent, event);
  Write(packet_);
}

void Packets::Define(Interned kind, uint64_t iid, std::string_view text) {
  std::string valid;
  AppendValidUtf8(valid, text);
  Message entry;
  entry.Uint(kIid, iid).Text(kEntryName, valid);
  inner_.Clear();
  inner_.Sub(kind, entry);
  packet_.Clear();
  packet_.Uint(kSequenceId, kSequence).Uint(kSequenceFlags, kNeedsState);
  packet_.Sub(kInternedData, inner_);
  Write(packet_);
}

void Packets::DefineName(StringId name) {
  std::string ignored;
  const bool valid = AppendValidUtf8(ignored, trace_.str(name));
  names_[name.v] = valid ? kValid : kNotUtf8;
  Define(kEventNames, uint64_t{name.v} + kFirstNameIid, trace_.str(name));
}

void Packets::DefineCategory(uint16_t type) {
  if (type >= categories_.size()) categories_.resize(size_t{type} + 1);
  categories_[type] = true;
  const std::string_view name = EventTypeName(type);
  Define(kEventCategories, uint64_t{type} + 1,
         name.empty() ? "Type" + std::to_string(type) : std::string(name));
}

uint64_t Packets::KeyIid(StringId key) {
  const uint64_t iid = uint64_t{key.v} + 1;
  if (!keys_[key.v]) Define(kAnnotationNames, iid, trace_.str(key));
  keys_[key.v] = true;
  return iid;
}

// Behind the strings of the trace.
uint64_t Packets::KeyIid(std::string_view key) {
  bool fresh = false;
  const uint64_t iid =
      IndexOf(own_keys_, key, fresh) + trace_.strings().size() + 1;
  if (fresh) Define(kAnnotationNames, iid, key);
  return iid;
}

uint64_t Packets::NameIid(std::string_view name) {
  bool fresh = false;
  const uint64_t iid = IndexOf(own_names_, name, fresh) +
                       trace_.strings().size() + kFirstNameIid;
  if (fresh) Define(kEventNames, iid, name);
  return iid;
}

}  // namespace stepscope::perfetto
