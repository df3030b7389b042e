// SPDX-License-Identifier: Apache-2.0
//
// Field numbers of Perfetto's trace messages, as its published .proto files
// state them; only those that are written.
#pragma once

#include <cstdint>

namespace stepscope::perfetto {

inline constexpr uint32_t kTracePacket = 1;  // of Trace

enum Packet : uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60,
};
inline constexpr uint64_t kStateCleared = 1;
inline constexpr uint64_t kNeedsState = 2;

enum Descriptor : uint32_t {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kThread = 4,
  kParentUuid = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kSiblingOrderRank = 12,
};
inline constexpr uint64_t kExplicitOrder = 3;

enum ProcessField : uint32_t {
  kProcessPid = 1,
  kProcessName = 6,
  kProcessLabels = 8,
};
enum ThreadField : uint32_t { kThreadPid = 1, kThreadTid = 2, kThreadName = 5 };
enum CounterField : uint32_t { kCounterUnit = 3 };
inline constexpr uint64_t kUnitBytes = 3;

enum EventField : uint32_t {
  kCategoryIids = 3,
  kDebugAnnotations = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kCounterValue = 30,
  kDoubleCounterValue = 44,
  kFlowIds = 47,
  kTerminatingFlowIds = 48,
};
enum EventType : uint64_t {
  kSliceBegin = 1,
  kSliceEnd = 2,
  kInstant = 3,
  kCounterType = 4,
};

enum Annotation : uint32_t {
  kAnnotationNameIid = 1,
  kBoolValue = 2,
  kIntValue = 4,
  kDoubleValue = 5,
  kStringValue = 6,
  kLegacyJson = 9,
  kArrayValues = 12,
};

enum Interned : uint32_t {
  kEventCategories = 1,
  kEventNames = 2,
  kAnnotationNames = 3,
};
enum InternedEntry : uint32_t { kIid = 1, kEntryName = 2 };

enum ClockField : uint32_t { kClocks = 1, kClockId = 1, kClockTime = 2 };
inline constexpr uint64_t kRealtime = 1;
inline constexpr uint64_t kBoottime = 6;  // the default clock of packets

}  // namespace stepscope::perfetto
