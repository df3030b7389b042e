// SPDX-License-Identifier: Apache-2.0
#include "importers/xplane/metadata.h"

#include "importers/xplane/fields.h"

namespace stepscope::proto::xplane {
namespace {

struct Known {
  std::string_view name;
  KnownStat stat;
};
constexpr Known kKnown[] = {
    {"correlation_id", KnownStat::kCorrelation},
    {"step_num", KnownStat::kStepNumber},
    {"step_name", KnownStat::kStepName},
    {"kernel_details", KnownStat::kKernelDetails},
    {"memcpy_details", KnownStat::kMemcpyDetails},
    {"memset_details", KnownStat::kMemsetDetails},
    {"Memset_details", KnownStat::kMemsetDetails},
    {"hlo_op", KnownStat::kHloOp},
    {"tf_op", KnownStat::kTfOp},
    {"_pt", KnownStat::kProducerType},
    {"_p", KnownStat::kProducerId},
    {"_ct", KnownStat::kConsumerType},
    {"_c", KnownStat::kConsumerId},
    {"allocator_name", KnownStat::kAllocator},
    {"bytes_reserved", KnownStat::kBytesReserved},
    {"bytes_allocated", KnownStat::kBytesAllocated},
    {"allocation_bytes", KnownStat::kAllocationBytes},
    {"addr", KnownStat::kAddress},
};

KnownStat KnownByName(std::string_view name) {
  for (const Known& known : kKnown)
    if (known.name == name) return known.stat;
  return KnownStat::kOther;
}

// Id and message of a map entry.
struct Entry {
  uint64_t id = 0;
  Bytes value;
};
Entry ReadEntry(Bytes bytes) {
  Entry entry;
  Message message(bytes);
  while (message.Next()) {
    if (message.tag() == kMapId) entry.id = message.value();
    if (message.tag() == kMapValue) entry.value = message.bytes();
  }
  return entry;
}

}  // namespace

XPlaneMetadata::XPlaneMetadata(Bytes plane, StringPool& strings)
    : strings_(strings) {
  Message names(plane);
  while (names.Next()) {
    if (names.tag() == kPlaneName) name_ = names.text();
    if (names.tag() == kStatMetadata) ReadStatMetadata(names.bytes());
  }
  // Only now, because these refer to the names.
  Message message(plane);
  while (message.Next()) {
    if (message.tag() == kEventMetadata) ReadEventMetadata(message.bytes());
    if (message.tag() != kPlaneStat) continue;
    StatValue value;
    if (ReadStat(message.bytes(), strings_, &value) == StatResult::kOk)
      stats_.push_back(value);
  }
}

void XPlaneMetadata::ReadStatMetadata(Bytes bytes) {
  const Entry entry = ReadEntry(bytes);
  std::string_view name;
  Message message(entry.value);
  while (message.Next())
    if (message.tag() == kMetadataName) name = message.text();
  StatName& stat = stat_names_.Add(entry.id);
  stat.name = strings_.Intern(name);
  stat.known = KnownByName(name);
}

void XPlaneMetadata::ReadEventMetadata(Bytes bytes) {
  const Entry entry = ReadEntry(bytes);
  std::string_view name;
  std::string_view display_name;
  EventName& event = events_.Add(entry.id);
  event.stats.clear();
  Message message(entry.value);
  while (message.Next()) {
    if (message.tag() == kMetadataName) name = message.text();
    if (message.tag() == kMetadataDisplayName) display_name = message.text();
    if (message.tag() != kMetadataStat) continue;
    StatValue value;
    // A whole program (an HLO proto) may hang here; it is no argument.
    if (message.bytes().size() <= kMaxMetadataStatBytes &&
        ReadStat(message.bytes(), strings_, &value) == StatResult::kOk)
      event.stats.push_back(value);
  }
  const bool two = !display_name.empty() && display_name != name;
  event.name = strings_.Intern(two ? display_name : name);
  event.whole = two ? strings_.Intern(name) : StringId{};
  event.deallocation = name == "MemoryDeallocation";
  event.memory = event.deallocation || name == "MemoryAllocation";
  has_memory_ |= event.memory;
  event.facts = {};
  event.special = false;
  for (const StatValue& value : event.stats) {
    event.facts.Take(value);
    event.special |= value.stat->known != KnownStat::kOther;
  }
  event.plain = !two && !event.memory && event.stats.empty();
  for (size_t role = 0; role < kLineRoles; ++role)
    event.type[role] = event.facts.Type(static_cast<LineRole>(role),
                                        two ? display_name : name, two);
}

XPlaneMetadata::StatResult XPlaneMetadata::ReadStat(Bytes bytes,
                                                    StringPool& strings,
                                                    StatValue* out) const {
  uint64_t id = 0;
  bool unknown = false;
  Message message(bytes);
  while (message.Next()) {
    switch (message.tag()) {
      case kStatId:
        id = message.value();
        break;
      case kStatDouble:
        out->kind = StatValue::Kind::kDouble;
        out->number = message.value();
        break;
      case kStatUint:
        out->kind = StatValue::Kind::kUint;
        out->number = message.value();
        break;
      case kStatInt:
        out->kind = StatValue::Kind::kInt;
        out->number = message.value();
        break;
      case kStatText:
      case kStatBytes:
        out->kind = StatValue::Kind::kText;
        out->text = strings.Intern(message.text());
        break;
      case kStatRef: {
        const StatName* const value = stat_names_.Find(message.value());
        unknown = value == nullptr;
        out->kind = StatValue::Kind::kText;
        if (!unknown) out->text = value->name;
        break;
      }
      default:
        break;
    }
  }
  if (!message.ok() || out->kind == StatValue::Kind::kNone)
    return StatResult::kBroken;
  out->stat = stat_names_.Find(id);
  return unknown || out->stat == nullptr ? StatResult::kUnknown
                                         : StatResult::kOk;
}

}  // namespace stepscope::proto::xplane
