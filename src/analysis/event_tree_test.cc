// SPDX-License-Identifier: Apache-2.0
#include "analysis/event_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

Row RowOf(const Trace& trace, std::string_view name) {
  for (Row row = 0; row < trace.size(); ++row) {
    if (trace.str(trace.name()[row]) == name) return row;
  }
  ADD_FAILURE() << "no event " << name;
  return 0;
}

std::string NameOf(const Trace& trace, Row row) {
  return row == kNoRow ? "-" : std::string(trace.str(trace.name()[row]));
}

// Name of device work -> name of its owner.
std::map<std::string, std::string> Owners(const EventTree& tree) {
  std::map<std::string, std::string> owners;
  for (const DeviceWork& work : tree.work()) {
    owners[NameOf(tree.trace(), work.row)] = NameOf(tree.trace(), work.owner);
  }
  return owners;
}

TEST(EventTreeTest, WorkBelongsToTheInnermostEventThatIsNoApiCall) {
  const auto trace = TraceFromText(R"(
    thread 1
      0..100 outer Operator
        10..50 inner OperatorInner
          20..30 cudaLaunchKernel CudaRuntime correlation=1
            22..28 cuLaunchKernel CudaRuntime correlation=1
        60..70 cudaLaunchKernel CudaRuntime correlation=2
    stream 7 GPU:0
      40..45 a Kernel correlation=1
      80..90 b Kernel correlation=2
      91..92 c Memcpy correlation=3
      93..94 d Memset)");
  const EventTree tree(*trace);
  EXPECT_EQ(Owners(tree),
            (std::map<std::string, std::string>{
                {"a", "inner"}, {"b", "outer"}, {"c", "-"}, {"d", "-"}}));
  EXPECT_EQ(tree.orphans(), 2u);
  EXPECT_EQ(tree.gpu_ns(RowOf(*trace, "outer")), 15);
  EXPECT_EQ(tree.gpu_ns(RowOf(*trace, "inner")), 5);
}

TEST(EventTreeTest, ReusedIdBelongsToTheLastLaunchBefore) {
  const auto trace = TraceFromText(R"(
    thread 1
      0..10 first Operator
        1..2 launch CudaRuntime correlation=5
      20..30 second Operator
        21..22 launch CudaRuntime correlation=5
    stream 7 GPU:0
      3..4 a Kernel correlation=5
      25..26 b Kernel correlation=5)");
  const EventTree tree(*trace);
  EXPECT_EQ(Owners(tree), (std::map<std::string, std::string>{
                              {"a", "first"}, {"b", "second"}}));
}

TEST(EventTreeTest, ExternalIdIsTakenWhereThereIsNoLaunch) {
  const auto trace = TraceFromText(R"(
    thread 1
      0..10 op Operator external=9
    stream 7 GPU:0
      3..4 a Kernel correlation=5 external=9)");
  EXPECT_EQ(Owners(EventTree(*trace)),
            (std::map<std::string, std::string>{{"a", "op"}}));
}

TEST(EventTreeTest, IdsOfAnotherProcessAreNotMixedUp) {
  const auto trace = TraceFromText(R"(
    process 1
    thread 1
      0..10 one Operator correlation=5
    process 2
    thread 2
      0..10 two Operator correlation=5
    stream 7 GPU:0
      3..4 a Kernel correlation=5)");
  EXPECT_EQ(Owners(EventTree(*trace)),
            (std::map<std::string, std::string>{{"a", "two"}}));
}

// The reference loses the second call, which outlives the event it begins in.
TEST(EventTreeTest, ApiCallThatOutlivesAnEventBelongsToTheOneAround) {
  const auto trace = TraceFromText(R"(
    thread 1
      0..20 parent
      0..10 child
      1..2 launch CudaRuntime correlation=1
      9..11 launch CudaRuntime correlation=2
      12..13 launch CudaRuntime correlation=3
      25..26 launch CudaRuntime correlation=4
      30..40 later
    stream 7 GPU:0
      50..51 a Kernel correlation=1
      51..52 b Kernel correlation=2
      52..53 c Kernel correlation=3
      53..54 d Kernel correlation=4)");
  const EventTree tree(*trace);
  EXPECT_EQ(Owners(tree),
            (std::map<std::string, std::string>{
                {"a", "child"}, {"b", "parent"}, {"c", "parent"}, {"d", "-"}}));
  EXPECT_EQ(tree.orphans(), 0u);
  EXPECT_EQ(tree.gpu_ns(RowOf(*trace, "parent")), 3);
}

TEST(EventTreeTest, DeepNestsOfApiCallsAreNotWalkedAgainAndAgain) {
  constexpr int64_t kDepth = 200000;
  TraceBuilder builder;
  Process process;
  builder.AddProcess(process);
  const uint32_t thread = builder.AddTrack({});
  Track stream;
  stream.kind = TrackKind::kStream;
  const uint32_t device = builder.AddTrack(stream);
  for (int64_t i = 0; i < kDepth; ++i) {
    const Row call = builder.AddEvent(
        {thread, i, 4 * kDepth - 2 * i, builder.Intern("call"), 3, 0});
    const Row kernel = builder.AddEvent(
        {device, 5 * kDepth + i, 1, builder.Intern("kernel"), 4, 0});
    const auto id = static_cast<uint64_t>(i);
    builder.AddLink({0, LinkSpace::kCorrelation, id, call});
    builder.AddLink({0, LinkSpace::kCorrelation, id, kernel});
  }
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace.has_value());
  const EventTree tree(**trace);
  EXPECT_EQ(tree.work().size(), static_cast<size_t>(kDepth));
  EXPECT_EQ(tree.orphans(), 0u);
}

}  // namespace
}  // namespace stepscope
