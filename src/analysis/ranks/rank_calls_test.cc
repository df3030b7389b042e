// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/rank_calls.h"

#include <gtest/gtest.h>

#include "analysis/ranks/collective_args.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::vector<RankCalls> CallsOf(const Trace& trace) {
  const EventTree tree(trace);
  NameClasses names(trace.strings());
  const Communication communication(tree, names);
  return FindRankCalls(tree, StepTable(tree), names, communication);
}

TEST(CollectiveKind, ByName) {
  const auto is = [](const char* name, CollectiveKind kind) {
    EXPECT_EQ(CollectiveKindOf(name), kind) << name;
  };
  is("ncclDevKernel_AllReduce_Sum_f32_RING_LL", CollectiveKind::kAllReduce);
  is("gloo:all_reduce", CollectiveKind::kAllReduce);
  is("c_allreduce_sum", CollectiveKind::kAllReduce);
  is("_allgather_base", CollectiveKind::kAllGather);
  is("nccl:_reduce_scatter_base", CollectiveKind::kReduceScatter);
  is("ncclKernel_SendRecv", CollectiveKind::kPointToPoint);
  is("mpi:Barrier", CollectiveKind::kBarrier);
  is("gloo:reduce", CollectiveKind::kReduce);
  is("rpc", CollectiveKind::kOther);
}

TEST(CollectiveKind, BusBandwidthOfNcclTests) {
  EXPECT_DOUBLE_EQ(BusFactor(CollectiveKind::kAllReduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(BusFactor(CollectiveKind::kAllGather, 4), 0.75);
  EXPECT_DOUBLE_EQ(BusFactor(CollectiveKind::kBroadcast, 4), 1);
}

TEST(RankCalls, HostCollectivesOfATorchRank) {
  const auto trace = TraceFromText(R"(
    process 10 rank=1
    thread 1 main
      0..100 ProfilerStep#7 ProfileStep
        10..12 c10d::allreduce_ Operator
      100..200 ProfilerStep#8 ProfileStep
    thread 2 gloo
      12..90 gloo:all_reduce Communication bytes=4096
      150..190 gloo:all_reduce Communication bytes=4096
  )");
  const std::vector<RankCalls> found = CallsOf(*trace);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].calls.size(), 2u);
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_EQ(found[0].signatures.size(), 1u);
  EXPECT_EQ(found[0].signatures[0].bytes, 4096u);
  EXPECT_EQ(found[0].calls[0].time.begin, 12);
  EXPECT_EQ(found[0].calls[0].step, 7);
  EXPECT_EQ(found[0].calls[1].step, 8);
}

TEST(RankCalls, KernelsTakeTheMetadataOfTheirLaunch) {
  TraceBuilder builder;
  BuildFromText(R"(
    process 10 rank=0
    thread 1 main
      0..100 ProfilerStep#0 ProfileStep
        10..30 record_param_comms Operator
          12..20 nccl:all_reduce UserDefined
            14..16 cudaLaunchKernel CudaRuntime correlation=5
    stream 3 GPU:0
      120..180 ncclDevKernel_AllReduce_Sum_f32_RING_LL Kernel correlation=5
  )",
                builder);
  for (Row row = 0; row < builder.event_count(); ++row) {
    if (builder.strings().view(builder.name_of(row)) != "record_param_comms")
      continue;
    builder.AddRawArgs(
        row, R"("Collective name": "allreduce", "In msg nelems": 1000,)"
             R"( "Out msg nelems": 1000, "dtype": "BFloat16", "Seq": 9,)"
             R"( "Process Group Name": "dp", "Process Group Ranks": "[0, 1]",)"
             R"( "Group size": 2)");
  }
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace);
  const std::vector<RankCalls> found = CallsOf(**trace);
  ASSERT_EQ(found[0].calls.size(), 1u);
  const RankCall& call = found[0].calls[0];
  const CallSignature& signature = found[0].signatures[call.signature];
  EXPECT_EQ(call.seq, 9);
  EXPECT_EQ(call.step, 0);  // that launched it, though it ran later
  EXPECT_EQ(call.time.begin, 120);
  EXPECT_EQ(signature.group, "dp");
  EXPECT_EQ(signature.ranks, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(signature.bytes, 2000u);
}

TEST(RankCalls, NothingWhereNobodyCommunicates) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..100 matmul Operator
  )");
  EXPECT_TRUE(CallsOf(*trace)[0].calls.empty());
}

}  // namespace
}  // namespace stepscope
