// SPDX-License-Identifier: Apache-2.0
#include "analysis/name_class.h"

#include <gtest/gtest.h>

#include "analysis/stats.h"

namespace stepscope {
namespace {

TEST(StatsTest, AveragesAreRoundedHalfToEven) {
  EXPECT_EQ(AverageNs(5, 2), 2);
  EXPECT_EQ(AverageNs(7, 2), 4);
  EXPECT_EQ(AverageNs(8, 3), 3);
  EXPECT_EQ(AverageNs(-5, 2), -2);
  EXPECT_EQ(AverageNs(-7, 2), -4);
  EXPECT_EQ(AverageNs(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(AverageNs(9, 0), 0);
}

TEST(NameClassTest, CollectivesAreKnownAndLookAlikesAreNot) {
  for (const char* name :
       {"c_allreduce_sum", "c_broadcast", "c10d::allreduce_", "nccl:all_reduce",
        "gloo:all_gather", "c_reducescatter", "all_to_all", "rpc_send",
        "record_param_comms", "nccl:send", "send_v2", "broadcast",
        "c10d::broadcast_", "nccl:broadcast", "_broadcast_coalesced",
        "HorovodBroadcast", "broadcast_object_list",
        "all_reduce (/opt/torch/distributed/distributed_c10d.py:2806)"}) {
    EXPECT_TRUE(IsCollectiveEvent(name)) << name;
  }
  for (const char* name :
       {"conv2d", "aten::broadcast_tensors", "broadcast_to", "interpolate",
        "aten::gather", "scatter", "reduce_sum", "aten::sum", "",
        "step (/home/me/nccl/all_reduce.py:3)", "psum_cache",
        "call (/srv/rpc/worker.py:12)"}) {
    EXPECT_FALSE(IsCollectiveEvent(name)) << name;
  }
  EXPECT_TRUE(IsCollectiveKernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
  EXPECT_TRUE(IsCollectiveKernel("rcclKernel"));
  EXPECT_FALSE(IsCollectiveKernel("void reduce_kernel<512>(float*)"));
  EXPECT_FALSE(IsCollectiveKernel("vectorized_broadcast_kernel"));
  EXPECT_TRUE(IsMemoryManipulation("GpuMemcpyAsync:CPU->GPU"));
  EXPECT_TRUE(IsMemoryManipulation("BufferedReader:MemoryCopy"));
  EXPECT_FALSE(IsMemoryManipulation("MyRecord"));
}

TEST(NameClassTest, CollectivesOfXlaAreKnownAndItsFusionsAreNot) {
  for (const char* name :
       {"all-reduce.3", "all-gather-start.1", "reduce-scatter", "all-to-all",
        "collective-permute-done.2", "ragged-all-to-all.1",
        "collective-broadcast.1"}) {
    EXPECT_TRUE(IsCollectiveEvent(name)) << name;
    EXPECT_TRUE(IsCollectiveKernel(name)) << name;
  }
  for (const char* name :
       {"psum.1", "psum_invariant.7", "ppermute.3", "reduce_scatter.7"}) {
    EXPECT_TRUE(IsCollectiveEvent(name)) << name;
  }
  for (const char* name :
       {"broadcast_multiply_fusion", "wrapped_broadcast", "broadcast.3",
        "end: broadcast_maximum_fusion.2", "end: wrapped_broadcast",
        "loop_broadcast_fusion", "broadcast_canonicalizer",
        "all_to_all_decomposer", "all-reduce-combiner", "BroadcastTo",
        "gradients/add_grad/BroadcastGradientArgs:BroadcastGradientArgs",
        "end: all-reduce.1", "BroadcastArgs", "broadcast_mul",
        "BroadcastInDim"}) {
    EXPECT_FALSE(IsCollectiveEvent(name)) << name;
    EXPECT_FALSE(IsHostSideCollective(name)) << name;
  }
}

TEST(NameClassTest, ArgumentsAfterATemplateListAreLeftOut) {
  EXPECT_EQ(WithoutArguments("void f<int, (A)2>(int*)"), "void f<int, (A)2>");
  EXPECT_EQ(WithoutArguments("nccl_sum(ncclColl)"), "nccl_sum(ncclColl)");
  EXPECT_EQ(WithoutArguments("f<g<int>(x)>(int)"), "f<g<int>(x)>");
  EXPECT_EQ(WithoutArguments("<lambda>(int)"), "<lambda>(int)");
  EXPECT_EQ(WithoutArguments("f<int>"), "f<int>");
  EXPECT_EQ(WithoutArguments("f<int>("), "f<int>(");
  EXPECT_EQ(WithoutArguments(""), "");
}

}  // namespace
}  // namespace stepscope
