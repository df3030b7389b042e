// SPDX-License-Identifier: Apache-2.0
//
// Rows of tables go to the event that they stand for, not to another of the
// same name.
#include "server/events/locate.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::server {
namespace {

// "same" is an operator twice, the user's range, and a kernel; "launch" is
// inside both operators.
constexpr std::string_view kTrace = R"(
  process 100
  thread 7 main
    0..100 ProfileStep#0 ProfileStep
      0..90 same UserDefined
        10..50 same Operator input_shape=[2]
          15..20 launch CudaRuntime correlation=1
        60..80 other Operator
          62..72 launch CudaRuntime correlation=2
    100..200 ProfileStep#1 ProfileStep
      110..130 same Operator input_shape=[4]
        112..114 launch CudaRuntime correlation=3
      140..150 same UserDefined
    memory 115 +64 Place(gpu:0) 0x10
    memory 120 +16 Place(cpu) 0x20
  stream 3 GPU:0
    30..35 same Kernel correlation=1 grid=[8,1,1]
    75..79 same Kernel correlation=2 grid=[2,1,1]
    120..121 same Kernel correlation=3 grid=[8,1,1]
    160..190 lonely Kernel)";

class LocateTest : public testing::Test {
 protected:
  // Where the event begins, or the error.
  std::string At(const LocateRequest& request) const {
    const auto text = LocateJson(open_, request);
    if (!text) return text.error().message;
    const size_t at = text->find("\"start\":");
    return text->substr(at + 8, text->find_first_of(",}", at) - at - 8);
  }
  const OpenTrace open_{TraceFromText(kTrace)};
};

TEST_F(LocateTest, ATableHasEventsOfItsKind) {
  EXPECT_EQ(At({.table = "", .name = "same"}), "0");
  EXPECT_EQ(At({.table = "user_defined", .name = "same"}), "0");
  EXPECT_EQ(At({.table = "operator", .name = "same"}), "10");
  EXPECT_EQ(At({.table = "kernel", .name = "same"}), "30");
  EXPECT_EQ(At({.table = "operator", .name = "(no launch)"}), "160");
}

TEST_F(LocateTest, EventsWithoutANameAreFound) {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t track = builder.AddTrack({});
  builder.AddEvent(
      {track, 5, 1, builder.Intern("other"), STEPSCOPE_OPERATOR, 0});
  builder.AddEvent({track, 7, 1, StringId{}, STEPSCOPE_OPERATOR, 0});
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace);
  const OpenTrace open(*trace);
  const auto found = LocateJson(open, {.table = "operator", .name = ""});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NE(found->find("\"start\":2,"), std::string::npos) << *found;
  EXPECT_FALSE(LocateJson(open, {.table = "operator", .name = "nowhere"}));
}

TEST_F(LocateTest, CellsTellRowsOfOneNameApart) {
  EXPECT_EQ(At({.table = "operator_shapes", .name = "same", .shapes = "[4]"}),
            At({.table = "operator", .name = "same", .start_ns = 111}));
  EXPECT_EQ(At({.table = "kernel_launches",
                .name = "same",
                .launched_by = "other",
                .grid = "2, 1, 1"}),
            "75");
  EXPECT_EQ(At({.table = "kernel_launches",
                .name = "same",
                .launched_by = "other",
                .grid = "8, 1, 1"}),
            "no event of the timeline belongs to this row");
}

TEST_F(LocateTest, InnerRowsAreInsideTheirRow) {
  EXPECT_EQ(At({.table = "operator", .name = "launch", .inside = "same"}),
            "62");  // the range around both operators has that name too
  EXPECT_EQ(At({.table = "operator", .name = "launch", .inside = "other"}),
            "62");
  EXPECT_EQ(At({.table = "operator", .name = "same", .inside = "launch"}),
            "30");
  EXPECT_EQ(At({.table = "operator", .name = "same", .inside = "other"}), "75");
}

TEST_F(LocateTest, OnlyStepsThatTheTableIsOf) {
  EXPECT_EQ(At({.table = "operator", .name = "same", .steps = "1:2"}), "110");
  EXPECT_EQ(At({.table = "kernel", .name = "same", .steps = "1:2"}), "120");
  EXPECT_EQ(At({.table = "operator", .name = "other", .steps = "1:2"}),
            "no event of the timeline belongs to this row");
}

TEST_F(LocateTest, MemoryGoesToWhoTookMost) {
  EXPECT_EQ(At({.table = "memory", .name = "same", .place = "Place(gpu:0)"}),
            "110");
  EXPECT_EQ(At({.table = "memory", .name = "other", .place = "Place(gpu:0)"}),
            "no event of the timeline belongs to this row");
}

// Both ranks have the operator at the same time, and the other one took more.
TEST(LocateMemoryTest, ARowIsOfItsOwnProcess) {
  const OpenTrace open(TraceFromText(R"(
    process 100 rank=0
    thread 7 main
      0..100 ProfileStep#0 ProfileStep
        10..50 same Operator
      memory 15 +64 Place(gpu:0) 0x10
    process 200 rank=1
    thread 7 main
      0..100 ProfileStep#0 ProfileStep
        10..50 same Operator
      memory 15 +128 Place(gpu:0) 0x10)"));
  for (const char* steps : {"", "0:1"})
    for (const int64_t rank : {0, 1}) {
      const auto found =
          LocateJson(open, {.table = "memory",
                            .name = "same",
                            .steps = steps,
                            .process = "rank " + std::to_string(rank),
                            .place = "Place(gpu:0)"});
      ASSERT_TRUE(found) << found.error().message;
      const size_t at = found->find("\"row\":");
      const Row row = static_cast<Row>(std::stoul(found->substr(at + 6)));
      const Trace& trace = open.trace();
      EXPECT_EQ(
          trace.processes()[trace.tracks()[trace.track()[row]].process].rank,
          rank)
          << steps;
    }
}

TEST_F(LocateTest, FoldedStepsGoToTheirPlace) {
  EXPECT_EQ(At({.table = "folded_steps",
                .name = "same",
                .place = "thread 7",
                .number = 2}),
            At({.table = "operator", .name = "same"}));
  EXPECT_EQ(At({.table = "folded_steps",
                .name = "same",
                .place = "GPU0 stream 3",
                .number = 2}),
            "75");
}

TEST_F(LocateTest, UnknownTablesAreRefused) {
  EXPECT_EQ(At({.table = "nonsense", .name = "same"}),
            "table: expected one whose rows are events, such as operator");
  EXPECT_EQ(At({.table = "operator", .name = "nothing"}),
            "no event of the timeline belongs to this row");
}

}  // namespace
}  // namespace stepscope::server
