// SPDX-License-Identifier: Apache-2.0
#include "trace/build/trace_part.h"

#include <gtest/gtest.h>

#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> Copy(const Trace& trace, const TracePart& part) {
  const auto copy = CopyPart(trace, part);
  if (!copy) {
    ADD_FAILURE() << copy.error().message;
    return nullptr;
  }
  return *copy;
}

TEST(TracePartTest, EverythingIsTheSameTrace) {
  const auto trace = TraceFromText(R"(
    process 100 rank=3 name=train host=a
    thread 7 main
      0..100 step ProfileStep shape=[2,3] bytes=64 note="a b"
        10..30 launch CudaRuntime correlation=5
      50..120 overlaps
    memory 15 +1024 Place(cpu) 0x10 total=1024
    flow 12 5 begin arrow
    stream 3 GPU:0
      20..35 gemm Kernel correlation=5
    flow 22 5 end arrow
    counter 15 loss 0.5
    cpu 1.5 0.25
    window 0 120)");
  TracePart part;
  part.rows.assign(trace->size(), true);
  part.at = [](uint32_t, int64_t) { return true; };
  part.begin_ns = 0;
  part.end_ns = 120;
  const auto copy = Copy(*trace, part);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(TraceToText(*copy), TraceToText(*trace));
  EXPECT_EQ(copy->tracks().size(), trace->tracks().size());
  EXPECT_EQ(copy->links().size(), trace->links().size());
  EXPECT_EQ(copy->flows().size(), 2u);
  EXPECT_EQ(copy->counters().size(), 1u);
  EXPECT_EQ(copy->memory().size(), 1u);
  EXPECT_EQ(copy->processes()[0].rank, 3);
  EXPECT_EQ(copy->cpu_usage().process, 1.5);
  EXPECT_EQ(copy->end_ns(), 120);
}

TEST(TracePartTest, RowsKeepTheirArgumentsAndLinks) {
  TraceBuilder builder;
  BuildFromText(R"(
    thread 7 main
      0..10 a shape=[1]
      10..20 b shape=[2,3] note="kept"
      20..30 c CudaRuntime correlation=9
    counter 5 loss 1
    counter 15 loss 2
    memory 5 +1 Place(cpu) 0x10
    memory 15 +2 Place(cpu) 0x20)",
                builder);
  builder.AddRawArgs(0, "\"x\":1");
  builder.AddRawArgs(1, "\"x\":2");
  builder.AddSource("text", "file");
  builder.AddNote("of the file");
  builder.AddTraceNote("of all");
  const auto made = builder.Finish();
  ASSERT_TRUE(made);
  const Trace& trace = **made;
  TracePart part;
  part.rows = {false, true, true};
  part.at = [](uint32_t, int64_t time) { return time >= 10; };
  part.begin_ns = 10;
  part.end_ns = 30;
  const auto copy = Copy(trace, part);
  ASSERT_NE(copy, nullptr);
  ASSERT_EQ(copy->size(), 2u);
  EXPECT_EQ(copy->str(copy->name()[0]), "b");
  EXPECT_EQ(copy->raw_args(0), "\"x\":2");
  EXPECT_EQ(copy->raw_args(1), "");
  const auto args = copy->args_of(0);
  ASSERT_EQ(args.size(), 2u);
  ASSERT_EQ(args[0].list_count, 2u);
  EXPECT_EQ(copy->arg_ints()[args[0].list_first + 1], 3);
  ASSERT_EQ(copy->links().size(), 1u);
  EXPECT_EQ(copy->links()[0].row, 1u);
  ASSERT_EQ(copy->counters().size(), 1u);
  EXPECT_EQ(copy->counters()[0].value, 2);
  ASSERT_EQ(copy->memory().size(), 1u);
  EXPECT_EQ(copy->memory()[0].owner, 0u);
  EXPECT_EQ(copy->notes(), (std::vector<std::string>{"of the file", "of all"}));
  EXPECT_EQ(copy->begin_ns(), 10);
}

// An allocator that states no totals: what it held when the part begins counts.
TEST(TracePartTest, MemoryGoesOnFromWhereItWas) {
  const auto trace = TraceFromText(R"(
    thread 7 main
      0..50 first
      60..100 second
      memory 5 +4096 Place(gpu:0) 0x0 reserve
      memory 10 +1000 Place(gpu:0) 0x10
      memory 20 +500 Place(gpu:0) 0x20
      memory 30 -1000 Place(gpu:0) 0x10
      memory 70 +64 Place(gpu:0) 0x30
      memory 80 -64 Place(gpu:0) 0x30)");
  TracePart part;
  part.rows = {false, true};
  part.at = [](uint32_t, int64_t time_ns) { return time_ns >= 60; };
  part.begin_ns = 60;
  part.end_ns = 100;
  const auto copy = Copy(*trace, part);
  ASSERT_NE(copy, nullptr);
  ASSERT_EQ(copy->memory().size(), 2u);
  EXPECT_EQ(copy->memory()[0].total_allocated, 564u);
  EXPECT_EQ(copy->memory()[1].total_allocated, 500u);
  EXPECT_EQ(copy->memory()[1].total_reserved, 4096u);
}

TEST(TracePartTest, NothingIsAnEmptyTrace) {
  const auto trace = TraceFromText("thread 1 main\n 0..5 a");
  TracePart part;
  part.rows = {false};
  part.at = [](uint32_t, int64_t) { return false; };
  const auto copy = Copy(*trace, part);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->size(), 0u);
  EXPECT_EQ(copy->processes().size(), 1u);
}

}  // namespace
}  // namespace stepscope
