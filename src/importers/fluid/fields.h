// SPDX-License-Identifier: Apache-2.0
//
// Field numbers of the profile that fluid.profiler writes. Set by Paddle;
// never renumber.
#pragma once

#include "importers/proto/wire.h"

namespace stepscope::proto::fluid {

enum Profile : uint32_t {
  kEvent = Delimited(1),
  kProfileStart = Varint(2),
  kProfileEnd = Varint(3),
  kMemoryEvent = Delimited(4),  // since 1.4
};
enum Event : uint32_t {
  kName = Delimited(1),
  kStart = Varint(2),
  kEnd = Varint(3),
  kDevice = Varint(5),      // CPU: block number, -1 for the CUDA API
  kSubDevice = Varint(6),   // CPU: thread; GPU: stream
  kMemcopy = Delimited(7),  // {bytes 1}
  kType = Varint(8),
  kDetail = Delimited(9),
};
enum MemoryEventField : uint32_t {
  kMemoryStart = Varint(1),
  kMemoryEnd = Varint(2),
  kMemoryBytes = Varint(3),
  kMemoryPlace = Varint(4),
  kMemoryThread = Varint(5),
  kMemoryDevice = Varint(6),
  kAllocatedIn = Delimited(7),
  kFreedIn = Delimited(8),
};
inline constexpr uint32_t kMemcopyBytes = Varint(1);

// Values of kType.
enum class Kind : uint64_t { kCpu = 0, kGpuKernel = 1, kNpuKernel = 2 };

}  // namespace stepscope::proto::fluid
