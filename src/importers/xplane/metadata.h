// SPDX-License-Identifier: Apache-2.0
//
// XPlaneMetadata: what the events of one plane refer to by id. The tables come
// behind the events in the file, so they are read first. Reading from it is
// thread-safe once it is made.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "importers/proto/id_table.h"
#include "importers/proto/wire.h"
#include "importers/xplane/facts.h"
#include "trace/trace.h"

namespace stepscope::proto::xplane {

struct EventName {
  StringId name;        // display name if there is one
  StringId whole;       // name, if it is not the display name
  bool memory = false;  // MemoryAllocation and MemoryDeallocation
  bool deallocation = false;
  bool special = false;          // a stat of every occurrence is a known one
  bool plain = false;            // adds nothing to an event but its name
  std::vector<StatValue> stats;  // of every occurrence
  XEventFacts facts;             // that these state
  // By role of the line, unless a stat of the event says otherwise.
  std::array<uint16_t, kLineRoles> type = {};
};

// Longer values of metadata are left out of the arguments of events.
inline constexpr size_t kMaxMetadataStatBytes = 4096;

class XPlaneMetadata {
 public:
  // Reads the tables of a plane.
  XPlaneMetadata(Bytes plane, StringPool& strings);

  std::string_view name() const { return name_; }
  const EventName* FindEvent(uint64_t id) const { return events_.Find(id); }
  const StatName* FindStat(uint64_t id) const { return stat_names_.Find(id); }
  // Some event of the plane may be a memory event.
  bool has_memory() const { return has_memory_; }
  const std::vector<StatValue>& stats() const { return stats_; }

  // kUnknown: the table has no name for it, or none for its value. Texts go
  // into `strings`.
  enum class StatResult : uint8_t { kOk, kUnknown, kBroken };
  StatResult ReadStat(Bytes bytes, StringPool& strings, StatValue* out) const;

 private:
  void ReadStatMetadata(Bytes entry);
  void ReadEventMetadata(Bytes entry);

  StringPool& strings_;
  std::string_view name_;  // points into the file
  bool has_memory_ = false;
  IdTable<StatName> stat_names_;
  IdTable<EventName> events_;
  std::vector<StatValue> stats_;
};

}  // namespace stepscope::proto::xplane
