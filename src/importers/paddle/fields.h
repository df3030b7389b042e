// SPDX-License-Identifier: Apache-2.0
//
// Field numbers of Paddle's node-tree protobuf, versions 1.0.0 to 1.0.2. Set
// by Paddle; never renumber.
#pragma once

#include "importers/proto/wire.h"

namespace stepscope::proto::paddle {

enum NodeTrees : uint32_t {
  kVersion = Delimited(1),
  kSpanIndex = Varint(2),
  kThreadTree = Delimited(3),
  kExtraInfo = Delimited(4),
  kDeviceProperty = Delimited(5),  // since 1.0.2
};
enum ThreadTree : uint32_t {
  kTreeThread = Varint(1),
  kHostNode = Delimited(2),
};
enum HostNode : uint32_t {
  kNodeId = Varint(1),
  kNodeParent = Varint(2),  // -1: the root, which is no event
  kHostEvent = Delimited(3),
  kRuntimeNode = Delimited(4),
  kMemoryNode = Delimited(5),      // since 1.0.1
  kSupplementNode = Delimited(6),  // since 1.0.1
};
enum HostEvent : uint32_t {
  kHostName = Delimited(1),
  kHostType = Varint(2),
  kHostStart = Varint(3),
  kHostEnd = Varint(4),
  kHostProcess = Varint(5),
  kHostThread = Varint(6),
};
enum RuntimeNode : uint32_t {
  kRuntimeEvent = Delimited(1),
  kDeviceNode = Delimited(2),
};
enum RuntimeEvent : uint32_t {
  kRuntimeName = Delimited(1),
  kRuntimeStart = Varint(2),
  kRuntimeEnd = Varint(3),
  kRuntimeProcess = Varint(4),
  kRuntimeThread = Varint(5),
  kRuntimeCorrelation = Varint(6),
  kRuntimeCallback = Varint(7),
};
enum DeviceEvent : uint32_t {
  kDeviceName = Delimited(1),
  kDeviceType = Varint(2),
  kDeviceStart = Varint(3),
  kDeviceEnd = Varint(4),
  kDeviceId = Varint(5),
  kDeviceContext = Varint(6),
  kDeviceStream = Varint(7),
  kDeviceCorrelation = Varint(8),
  kKernelInfo = Delimited(9),
  kMemcpyInfo = Delimited(10),
  kMemsetInfo = Delimited(11),
};
enum MemoryEventField : uint32_t {
  kMemoryTime = Varint(1),
  kMemoryType = Varint(2),
  kMemoryAddress = Varint(3),
  kMemoryProcess = Varint(4),
  kMemoryThread = Varint(5),
  kMemoryBytes = Varint(6),
  kMemoryPlace = Delimited(7),
  kMemoryAllocated = Varint(8),
  kMemoryReserved = Varint(9),
  kMemoryPeakAllocated = Varint(10),
  kMemoryPeakReserved = Varint(11),
};
enum Supplement : uint32_t {
  kSupplementTime = Varint(1),
  kSupplementOp = Delimited(2),
  kSupplementProcess = Varint(3),
  kSupplementThread = Varint(4),
  kSupplementShapes = Delimited(5),  // {key 1, vecs 2 {shapes 1 {size 1}}}
  kSupplementDtypes = Delimited(6),  // {key 1, vecs 2 {dtype 1}}
  kSupplementCallstack = Delimited(7),
  kSupplementId = Varint(8),
};
// KernelInfo numbers its whole fields 1..14 and its floats 15..17.
inline constexpr uint32_t kFirstKernelFloat = 15;
inline constexpr uint32_t kLastKernelField = 17;

// The only field of the messages that wrap one event, and key and value of
// maps.
inline constexpr uint32_t kOnly = Delimited(1);
inline constexpr uint32_t kMapKey = Delimited(1);
inline constexpr uint32_t kMapValue = Delimited(2);

}  // namespace stepscope::proto::paddle
