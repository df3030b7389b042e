// SPDX-License-Identifier: Apache-2.0
#include "trace/build/trace_builder.h"

#include <gtest/gtest.h>

#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

TEST(TraceBuilderTest, GroupsAndOrdersRows) {
  TraceBuilder b;
  b.AddProcess({});
  Track track;
  track.id = 1;
  const uint32_t one = b.AddTrack(track);
  track.id = 2;
  const uint32_t two = b.AddTrack(track);
  const Row inner = b.AddEvent({one, 10, 5, b.Intern("inner"), 7, 0});
  const Row other = b.AddEvent({two, 3, 4, b.Intern("other"), 7, 0});
  const Row outer = b.AddEvent({one, 0, 100, b.Intern("outer"), 7, 0});
  b.AddInt(inner, "key", 1);
  b.AddInt(other, "key", 2);
  b.AddInt(outer, "key", 3);
  b.AddLink({0, LinkSpace::kCorrelation, 9, inner});
  const auto trace = b.Finish();
  ASSERT_TRUE(trace);
  EXPECT_EQ(TraceToText(**trace),
            "thread 1\n"
            "  0..100 outer\n"
            "    10..15 inner\n"
            "thread 2\n"
            "  3..7 other\n");
  ASSERT_EQ((*trace)->args().size(), 3u);
  EXPECT_EQ((*trace)->args_of(0)[0].int_value, 3);
  EXPECT_EQ((*trace)->args_of(1)[0].int_value, 1);
  EXPECT_EQ((*trace)->args_of(2)[0].int_value, 2);
  EXPECT_EQ((*trace)->links()[0].row, 1u);
  EXPECT_EQ((*trace)->begin_ns(), 0);
  EXPECT_EQ((*trace)->end_ns(), 100);
}

// Arguments that were made in one go, others behind them, and rows that move.
TEST(TraceBuilderTest, ManyArgumentsAtOnce) {
  for (const bool moved : {false, true}) {
    for (const bool more : {false, true}) {
      TraceBuilder b;
      b.AddProcess({});
      const uint32_t track = b.AddTrack({});
      const StringId key = b.Intern("key");
      for (const int64_t start : {0, moved ? 20 : 10, moved ? 10 : 20})
        b.AddEvent({track, start, 5, b.Intern("event"), 7, 0});
      const std::span<Arg> args = b.NewArgs(6);
      ASSERT_EQ(args.size(), 6u);
      for (uint32_t i = 0; i < 6; ++i) {
        args[i].row = i / 2;
        args[i].key = key;
        args[i].int_value = i;
      }
      const std::span<Link> links = b.NewLinks(2);
      ASSERT_EQ(links.size(), 2u);
      links[0] = {0, LinkSpace::kExternal, 7, 2};
      links[1] = {0, LinkSpace::kExternal, 5, 0};
      if (more) b.AddInt(0, "more", 9);
      const auto trace = b.Finish();
      ASSERT_TRUE(trace);
      std::string values;
      for (Row row = 0; row < 3; ++row) {
        for (const Arg& arg : (*trace)->args_of(row))
          values += std::to_string(arg.int_value);
        values += ' ';
      }
      EXPECT_EQ(values, std::string(more ? "019 " : "01 ") +
                            (moved ? "45 23 " : "23 45 "));
      EXPECT_EQ((*trace)->links()[0].id, 5u);
      EXPECT_EQ((*trace)->links()[1].row, moved ? 1u : 2u);
    }
  }
}

TEST(TraceBuilderTest, LongerFirstThenAsAdded) {
  const auto trace = TraceFromText(
      "0..5 short\n"
      "0..9 long\n"
      "0..9 same\n");
  EXPECT_EQ(TraceToText(*trace),
            "thread 1\n"
            "  0..9 long\n"
            "    0..9 same\n"
            "      0..5 short\n");
}

TEST(TraceBuilderTest, OverlapGoesToAnotherLaneBehindItsTrack) {
  const auto trace = TraceFromText(
      "thread 1\n"
      "  0..10 a key=1\n"
      "  5..15 b key=2\n"
      "  6..8 c key=3\n"
      "  12..14 d key=4\n"
      "thread 2\n"
      "  0..1 e key=5\n"
      "  counter 3 loss 0.5\n"
      "  memory 0 +64 cpu 0x1\n");
  EXPECT_EQ(TraceToText(*trace),
            "thread 1\n"
            "  0..10 a\n"
            "    6..8 c\n"
            "  12..14 d\n"
            "thread 1 lane 1\n"
            "  5..15 b\n"
            "thread 2\n"
            "  0..1 e\n");
  // What pointed at rows and tracks still does.
  EXPECT_EQ(trace->track()[3], 1u);
  EXPECT_EQ(trace->args_of(3)[0].int_value, 2);
  EXPECT_EQ(trace->args_of(1)[0].int_value, 3);
  EXPECT_EQ(trace->memory()[0].track, 2u);
  EXPECT_EQ(trace->memory()[0].owner, 4u);
  EXPECT_EQ(trace->tracks()[trace->counters()[0].track].kind,
            TrackKind::kCounter);
  EXPECT_EQ(trace->ledger().seen(), 0u);  // a lane is not a repair
}

TEST(TraceBuilderTest, PythonFunctionsThatOverlapHaveTheLastLanes) {
  const auto trace = TraceFromText(
      "thread 1\n"
      "  0..10 begin_range PythonFunction\n"
      "  5..40 range\n"
      "  6..8 inner\n"
      "  20..30 work\n"
      "  30..50 end_range PythonFunction\n"
      "  35..45 f PythonFunction\n");
  EXPECT_EQ(TraceToText(*trace),
            "thread 1\n"
            "  5..40 range\n"
            "    6..8 inner\n"
            "    20..30 work\n"
            "thread 1 lane 1\n"
            "  0..10 begin_range PythonFunction\n"
            "  30..50 end_range PythonFunction\n"
            "    35..45 f PythonFunction\n");
}

TEST(TraceBuilderTest, PythonFunctionsThatNestStayWhereTheyAre) {
  const auto trace = TraceFromText(
      "thread 1\n"
      "  0..10 f PythonFunction\n"
      "  2..8 conv Operator\n"
      "  3..4 g PythonFunction\n");
  EXPECT_EQ(TraceToText(*trace),
            "thread 1\n"
            "  0..10 f PythonFunction\n"
            "    2..8 conv Operator\n"
            "      3..4 g PythonFunction\n");
}

TEST(TraceBuilderTest, RowsWrittenInPlaceStay) {
  TraceBuilder b;
  b.AddProcess({});
  const uint32_t track = b.AddTrack({});
  constexpr Row kRows = 1000;
  ASSERT_TRUE(b.ReserveRows(kRows));
  const TraceBuilder::Rows rows = b.rows();
  for (Row i = 0; i < kRows; ++i) {
    rows.start_ns[i] = i * 10;
    rows.dur_ns[i] = 10;
    rows.name[i] = b.Intern("x");
    rows.track[i] = track;
  }
  b.CommitRows(kRows);
  b.SetDuration(5, 3);
  b.AddFlags(6, kEventOpenAtEnd);
  const auto trace = b.Finish();
  ASSERT_TRUE(trace);
  EXPECT_EQ((*trace)->size(), kRows);
  EXPECT_EQ((*trace)->dur_ns()[5], 3);
  EXPECT_EQ((*trace)->flags()[6], kEventOpenAtEnd);
  EXPECT_EQ((*trace)->start_ns()[999], 9990);
  EXPECT_EQ((*trace)->tracks()[0].last, kRows);
}

TEST(TraceBuilderTest, RefusesWhatCannotBeOrdered) {
  {
    TraceBuilder b;
    b.AddEvent({0, 0, 1, {}, 0, 0});
    EXPECT_FALSE(b.Finish());
  }
  for (const auto& [start, dur] :
       {std::pair<int64_t, int64_t>{0, -1}, {INT64_MAX, 1}}) {
    TraceBuilder b;
    b.AddTrack({});
    b.AddEvent({0, start, dur, {}, 0, 0});
    EXPECT_FALSE(b.Finish());
  }
  TraceBuilder b;
  EXPECT_FALSE(b.ReserveRows(uint64_t{1} << 32));
}

TEST(TraceBuilderTest, EpochsOfSeveralFilesAlign) {
  TraceBuilder b;
  EXPECT_EQ(b.AlignEpoch(1000, true), 0);
  EXPECT_EQ(b.AlignEpoch(1500, true), 500);
  EXPECT_EQ(b.AlignEpoch(400, true), -600);
  EXPECT_EQ(b.AlignEpoch(7, false), 0);
  b.AddSource("capture", "a");
  b.AddSource("capture", "b");
  b.AddWindow(0, 10);
  b.AddWindow(-5, 3);
  const auto trace = b.Finish();
  ASSERT_TRUE(trace);
  EXPECT_EQ((*trace)->epoch_ns(), 1000);
  EXPECT_EQ((*trace)->format(), "capture");
  EXPECT_EQ((*trace)->files().size(), 2u);
  EXPECT_EQ((*trace)->begin_ns(), -5);
  EXPECT_EQ((*trace)->end_ns(), 10);
}

TEST(TraceBuilderTest, SideTablesAreOrdered) {
  const auto trace = TraceFromText(
      "flow 9 1 end arrow\n"
      "flow 3 1 begin arrow\n"
      "counter 5 b 1\n"
      "counter 4 a 2.5\n"
      "counter 2 b 3\n"
      "memory 8 -64 cpu 0x1\n"
      "memory 2 +64 cpu 0x1\n"
      "0..9 x correlation=5\n"
      "0..3 y correlation=2 shape=[2,-3] note=\"a b\" p=0.5\n");
  EXPECT_EQ(trace->flows()[0].phase, FlowPhase::kBegin);
  EXPECT_EQ(trace->counters()[0].int_value, 3);
  EXPECT_EQ(trace->counters()[1].int_value, 1);
  EXPECT_EQ(trace->counters()[2].value, 2.5);
  EXPECT_EQ(trace->memory()[0].bytes, 64);
  EXPECT_EQ(trace->memory()[0].owner, 1u);
  EXPECT_EQ(trace->memory()[1].owner, 0u);
  EXPECT_EQ(trace->links()[0].id, 2u);
  const auto args = trace->args_of(1);
  ASSERT_EQ(args.size(), 3u);
  EXPECT_EQ(args[0].list_count, 2u);
  EXPECT_EQ(trace->arg_ints()[args[0].list_first + 1], -3);
  EXPECT_EQ(trace->str(args[1].text), "a b");
  EXPECT_EQ(args[2].double_value, 0.5);
}

}  // namespace
}  // namespace stepscope
