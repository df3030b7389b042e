// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

namespace stepscope::bench {

__thread FloorRecord floor_ring[kFloorRing];
__thread uint64_t floor_head = 0;

}  // namespace stepscope::bench
