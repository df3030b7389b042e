// SPDX-License-Identifier: Apache-2.0
//
// XPlaneTables: what the events of one plane refer to by id. The tables come
// behind the events in the file, so they are read first.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "importers/proto/id_table.h"
#include "importers/proto/recorder.h"

namespace stepscope::proto {

// Stats that decide what an event is or that go elsewhere than into arguments.
enum class KnownStat : uint8_t {
  kOther,
  kCorrelation,
  kStepNumber,
  kStepName,
  kKernelDetails,
  kMemcpyDetails,
  kMemsetDetails,
  kHloOp,
  kTfOp,
  kProducerType,
  kProducerId,
  kConsumerType,
  kConsumerId,
  kAllocator,
  kBytesReserved,
  kBytesAllocated,
  kAllocationBytes,
  kAddress,
};

struct StatName {
  StringId name;
  KnownStat known = KnownStat::kOther;
};

// A stat's value: of an event, an event's metadata or a plane.
struct StatValue {
  enum class Kind : uint8_t { kNone, kInt, kUint, kDouble, kText };
  const StatName* stat = nullptr;
  Kind kind = Kind::kNone;
  uint64_t number = 0;  // bits of kInt, kUint, kDouble
  StringId text;        // kText
};

struct EventName {
  StringId name;        // display name if there is one
  StringId whole;       // name, if it is not the display name
  bool memory = false;  // MemoryAllocation and MemoryDeallocation
  bool deallocation = false;
  std::vector<StatValue> stats;  // of every occurrence
};

// Longer values of metadata are left out of the arguments of events.
inline constexpr size_t kMaxMetadataStatBytes = 4096;

class XPlaneTables {
 public:
  // Reads the tables of a plane.
  XPlaneTables(Bytes plane, Recorder& out);

  std::string_view name() const { return name_; }
  const EventName* FindEvent(uint64_t id) const { return events_.Find(id); }
  const std::vector<StatValue>& stats() const { return stats_; }

  // kUnknown: the table has no name for it, or none for its value.
  enum class StatResult : uint8_t { kOk, kUnknown, kBroken };
  StatResult ReadStat(Bytes bytes, StatValue* out) const;

 private:
  void ReadStatMetadata(Bytes entry);
  void ReadEventMetadata(Bytes entry);

  Recorder& out_;
  std::string_view name_;  // points into the file
  IdTable<StatName> stat_names_;
  IdTable<EventName> events_;
  std::vector<StatValue> stats_;
};

}  // namespace stepscope::proto
