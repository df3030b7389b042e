// SPDX-License-Identifier: Apache-2.0
//
// Tags of Perfetto's trace messages, as its published .proto files state them.
#pragma once

#include <cstdint>

#include "exporters/perfetto/facts.h"
#include "importers/proto/wire.h"

namespace stepscope::pftrace {

namespace facts = perfetto::facts;  // ours

namespace tag {

using proto::Delimited;
using proto::Fixed64;
using proto::Varint;

inline constexpr uint32_t kPacket = Delimited(1);  // of Trace
inline constexpr uint32_t kFacts = Delimited(facts::kFacts);

// TracePacket.
inline constexpr uint32_t kProcessTree = Delimited(2);
inline constexpr uint32_t kClockSnapshot = Delimited(6);
inline constexpr uint32_t kTimestamp = Varint(8);
inline constexpr uint32_t kSequenceId = Varint(10);
inline constexpr uint32_t kTrackEvent = Delimited(11);
inline constexpr uint32_t kInternedData = Delimited(12);
inline constexpr uint32_t kSequenceFlags = Varint(13);
inline constexpr uint32_t kPreviousDropped = Varint(42);
inline constexpr uint32_t kProcessDescriptor = Delimited(43);
inline constexpr uint32_t kThreadDescriptor = Delimited(44);
inline constexpr uint32_t kCompressed = Delimited(50);
inline constexpr uint32_t kClockId = Varint(58);
inline constexpr uint32_t kDefaults = Delimited(59);
inline constexpr uint32_t kTrackDescriptor = Delimited(60);
inline constexpr uint32_t kFirstOnSequence = Varint(87);
inline constexpr uint64_t kStateCleared = 1;  // of kSequenceFlags
inline constexpr uint64_t kNeedsState = 2;

// TracePacketDefaults; its clock is kClockId, its track defaults kTrackEvent.

// TrackDescriptor.
inline constexpr uint32_t kUuid = Varint(1);
inline constexpr uint32_t kTrackName = Delimited(2);
inline constexpr uint32_t kTrackProcess = Delimited(3);
inline constexpr uint32_t kTrackThread = Delimited(4);
inline constexpr uint32_t kParentUuid = Varint(5);
inline constexpr uint32_t kTrackCounter = Delimited(8);
inline constexpr uint32_t kStaticName = Delimited(10);

// ProcessDescriptor.
inline constexpr uint32_t kProcessPid = Varint(1);
inline constexpr uint32_t kProcessCommand = Delimited(2);
inline constexpr uint32_t kProcessName = Delimited(6);
inline constexpr uint32_t kProcessStart = Varint(7);
inline constexpr uint32_t kProcessLabel = Delimited(8);

// ThreadDescriptor.
inline constexpr uint32_t kThreadPid = Varint(1);
inline constexpr uint32_t kThreadTid = Varint(2);
inline constexpr uint32_t kThreadName = Delimited(5);
inline constexpr uint32_t kReferenceUs = Varint(6);

// CounterDescriptor.
inline constexpr uint32_t kUnitMultiplier = Varint(4);
inline constexpr uint32_t kIsIncremental = Varint(5);

// ProcessTree.
inline constexpr uint32_t kTreeProcess = Delimited(1);
inline constexpr uint32_t kTreeThread = Delimited(2);
inline constexpr uint32_t kTreePid = Varint(1);
inline constexpr uint32_t kTreeCommand = Delimited(3);
inline constexpr uint32_t kTreeTid = Varint(1);
inline constexpr uint32_t kTreeThreadName = Delimited(2);
inline constexpr uint32_t kTreeTgid = Varint(3);

// TrackEvent; the first two also of TrackEventDefaults.
inline constexpr uint32_t kTrackUuid = Varint(11);
inline constexpr uint32_t kExtraUuid = Varint(31);
inline constexpr uint32_t kExtraUuids = Delimited(31);
inline constexpr uint32_t kExtraDoubleUuid = Varint(45);
inline constexpr uint32_t kExtraDoubleUuids = Delimited(45);
inline constexpr uint32_t kDeltaUs = Varint(1);
inline constexpr uint32_t kCategoryIid = Varint(3);
inline constexpr uint32_t kCategoryIids = Delimited(3);
inline constexpr uint32_t kAnnotation = Delimited(4);
inline constexpr uint32_t kLegacy = Delimited(6);
inline constexpr uint32_t kType = Varint(9);
inline constexpr uint32_t kNameIid = Varint(10);
inline constexpr uint32_t kExtraValue = Varint(12);
inline constexpr uint32_t kExtraValues = Delimited(12);
inline constexpr uint32_t kAbsoluteUs = Varint(16);
inline constexpr uint32_t kCategory = Delimited(22);
inline constexpr uint32_t kName = Delimited(23);
inline constexpr uint32_t kCounterValue = Varint(30);
inline constexpr uint32_t kDoubleCounterValue = Fixed64(44);
inline constexpr uint32_t kExtraDouble = Fixed64(46);
inline constexpr uint32_t kExtraDoubles = Delimited(46);
inline constexpr uint32_t kOldFlow = Varint(36);
inline constexpr uint32_t kOldFlows = Delimited(36);
inline constexpr uint32_t kOldLastFlow = Varint(42);
inline constexpr uint32_t kOldLastFlows = Delimited(42);
inline constexpr uint32_t kFlow = Fixed64(47);
inline constexpr uint32_t kFlows = Delimited(47);
inline constexpr uint32_t kLastFlow = Fixed64(48);
inline constexpr uint32_t kLastFlows = Delimited(48);
inline constexpr uint64_t kSliceBegin = 1;  // of kType
inline constexpr uint64_t kSliceEnd = 2;
inline constexpr uint64_t kInstant = 3;
inline constexpr uint64_t kCounter = 4;

// LegacyEvent.
inline constexpr uint32_t kLegacyName = Varint(1);
inline constexpr uint32_t kPhase = Varint(2);
inline constexpr uint32_t kDurationUs = Varint(3);
inline constexpr uint32_t kUnscopedId = Varint(6);
inline constexpr uint32_t kIdScope = Delimited(7);
inline constexpr uint32_t kBindId = Varint(8);
inline constexpr uint32_t kLocalId = Varint(10);
inline constexpr uint32_t kGlobalId = Varint(11);
inline constexpr uint32_t kFlowDirection = Varint(13);
inline constexpr uint32_t kPidOverride = Varint(18);
inline constexpr uint32_t kTidOverride = Varint(19);

// DebugAnnotation.
inline constexpr uint32_t kKeyIid = Varint(1);
inline constexpr uint32_t kBool = Varint(2);
inline constexpr uint32_t kUint = Varint(3);
inline constexpr uint32_t kInt = Varint(4);
inline constexpr uint32_t kDouble = Fixed64(5);
inline constexpr uint32_t kString = Delimited(6);
inline constexpr uint32_t kPointer = Varint(7);
inline constexpr uint32_t kNested = Delimited(8);
inline constexpr uint32_t kJson = Delimited(9);
inline constexpr uint32_t kKey = Delimited(10);
inline constexpr uint32_t kDictEntry = Delimited(11);
inline constexpr uint32_t kArrayValue = Delimited(12);
inline constexpr uint32_t kStringIid = Varint(17);

// DebugAnnotation.NestedValue, which older writers used.
inline constexpr uint32_t kNestedKey = Delimited(2);
inline constexpr uint32_t kNestedEntry = Delimited(3);
inline constexpr uint32_t kNestedItem = Delimited(4);
inline constexpr uint32_t kNestedInt = Varint(5);
inline constexpr uint32_t kNestedDouble = Fixed64(6);
inline constexpr uint32_t kNestedBool = Varint(7);
inline constexpr uint32_t kNestedString = Delimited(8);

// InternedData, and its entries.
inline constexpr uint32_t kCategoryEntry = Delimited(1);
inline constexpr uint32_t kNameEntry = Delimited(2);
inline constexpr uint32_t kKeyEntry = Delimited(3);
inline constexpr uint32_t kStringEntry = Delimited(29);
inline constexpr uint32_t kIid = Varint(1);
inline constexpr uint32_t kEntryText = Delimited(2);

// ClockSnapshot.
inline constexpr uint32_t kClock = Delimited(1);
inline constexpr uint32_t kPrimaryClock = Varint(2);
inline constexpr uint32_t kClockNumber = Varint(1);
inline constexpr uint32_t kClockTime = Varint(2);
inline constexpr uint32_t kClockIncremental = Varint(3);
inline constexpr uint32_t kClockUnit = Varint(4);

}  // namespace tag
}  // namespace stepscope::pftrace
