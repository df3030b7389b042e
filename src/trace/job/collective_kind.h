// SPDX-License-Identifier: Apache-2.0
//
// Kinds of collective communication: by name, who waits for whom, and what
// they move over a link.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class CollectiveKind : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBarrier,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kPointToPoint,
  kOther,
  // Remote calls: no collectives, but they bound clocks.
  kRpcRequest,
  kRpcHandling,
};

// "all_reduce", ...
std::string_view CollectiveKindName(CollectiveKind kind);
// Of "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "gloo:all_reduce",
// "c_allreduce_sum", "allreduce", "_allgather_base".
CollectiveKind CollectiveKindOf(std::string_view name);

// Nobody leaves before the last has arrived, and all leave together.
bool LeavesTogether(CollectiveKind kind);
// Bus bandwidth is bytes / time times this, as nccl-tests has it. Bytes are
// the larger of what one rank puts in and gets out.
double BusFactor(CollectiveKind kind, uint64_t ranks);

}  // namespace stepscope
