// SPDX-License-Identifier: Apache-2.0
//
// Field numbers of TensorFlow's StepStats, RunMetadata and what they hold. Set
// by TensorFlow; never renumber.
#pragma once

#include "importers/proto/wire.h"

namespace stepscope::proto::tf {

enum RunMetadata : uint32_t {
  kStepStats = Delimited(1),
  kCostGraph = Delimited(2),
  kPartitionGraph = Delimited(3),
  kFunctionGraphs = Delimited(4),  // {partition_graphs 1}
  kSessionMetadata = Delimited(5),
};
inline constexpr uint32_t kFunctionPartitionGraph = Delimited(1);
inline constexpr uint32_t kDeviceStats = Delimited(1);  // of StepStats
enum DeviceStepStats : uint32_t {
  kDevice = Delimited(1),
  kNodeStats = Delimited(2),
  kThreadName = Delimited(3),  // map entry {key 1, value 2}
};
enum NodeExecStats : uint32_t {
  kNodeName = Delimited(1),
  kAllStartMicros = Varint(2),
  kOpStartRelMicros = Varint(3),
  kOpEndRelMicros = Varint(4),
  kAllEndRelMicros = Varint(5),
  kMemory = Delimited(6),
  kOutput = Delimited(7),
  kLabel = Delimited(8),
  kScheduledMicros = Varint(9),
  kThreadId = Varint(10),
  kReferencedTensor = Delimited(11),
  kMemoryStats = Delimited(12),
  // Newer files say everything in nanoseconds as well.
  kAllStartNanos = Varint(13),
  kOpStartRelNanos = Varint(14),
  kOpEndRelNanos = Varint(15),
  kAllEndRelNanos = Varint(16),
  kScheduledNanos = Varint(17),
};
enum AllocatorMemoryUsed : uint32_t {
  kAllocatorName = Delimited(1),
  kTotalBytes = Varint(2),
  kPeakBytes = Varint(3),
  kLiveBytes = Varint(4),
  kBytesInUse = Varint(5),
  kAllocationRecord = Delimited(6),  // {micros 1, bytes 2}
};
enum NodeOutput : uint32_t {
  kSlot = Varint(1),
  kTensor = Delimited(3),
};
enum TensorDescription : uint32_t {
  kDtype = Varint(1),
  kShape = Delimited(2),  // {dim 2 {size 1}, unknown_rank 3}
  kAllocation = Delimited(4),
};
enum AllocationDescription : uint32_t {
  kRequestedBytes = Varint(1),
  kAllocatedBytes = Varint(2),
  kAllocationAllocator = Delimited(3),
  kAllocationId = Varint(4),
  kSingleReference = Varint(5),
  kPointer = Varint(6),
};
inline constexpr uint32_t kPersistentBytes = Varint(3);  // of MemoryStats

inline constexpr uint32_t kNode = Delimited(1);  // of GraphDef
enum NodeDef : uint32_t {
  kDefName = Delimited(1),
  kDefOp = Delimited(2),
  kDefInput = Delimited(3),
  kDefDevice = Delimited(4),
  kDefAttribute = Delimited(5),  // map entry
};
inline constexpr uint32_t kMapKey = Delimited(1);
inline constexpr uint32_t kMapKeyNumber = Varint(1);
inline constexpr uint32_t kMapValue = Delimited(2);
inline constexpr uint32_t kAttributeText = Delimited(2);  // of AttrValue

}  // namespace stepscope::proto::tf
