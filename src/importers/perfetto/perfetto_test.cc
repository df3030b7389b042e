// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include "importers/perfetto/perfetto_sample_test_support.h"

namespace stepscope::proto {
namespace {

std::shared_ptr<const Trace> Import(const Pb& trace) {
  return ImportBytes(pftrace::ImportPerfetto, trace.str());
}

Pb Event(int64_t time, const Pb& event, int64_t sequence = 1) {
  return Pb().Int(8, time).Int(10, sequence).Sub(11, event);
}
Pb Begin(std::string_view name, int64_t uuid) {
  return Pb().Int(9, 1).Text(23, name).Int(11, uuid);
}
Pb End(int64_t uuid) { return Pb().Int(9, 2).Int(11, uuid); }
Pb Thread(int64_t uuid, int64_t pid, int64_t tid) {
  return Pb().Sub(60, Pb().Int(1, uuid).Sub(4, Pb().Int(1, pid).Int(2, tid)));
}

std::string EventText(const Trace& trace, std::string_view name) {
  const Row row = FindRow(trace, name);
  if (row == kNoRow) return "-";
  return std::to_string(trace.start_ns()[row]) + "+" +
         std::to_string(trace.dur_ns()[row]);
}

TEST(PerfettoImportTest, ReadsASampleOfAnotherTool) {
  const auto trace = ImportBytes(pftrace::ImportPerfetto, PerfettoSample());
  EXPECT_EQ(LedgerText(*trace), "kept 19, begin without an end 1");
  EXPECT_EQ(trace->epoch_ns(), kSampleTime);
  EXPECT_TRUE(trace->clock().epoch_known);
  EXPECT_EQ(EventText(*trace, "ProfilerStep#7"), "2000+1000");
  EXPECT_EQ(EventText(*trace, "matmul"), "2100+200");
  EXPECT_EQ(EventText(*trace, "mark"), "2150+0");
  EXPECT_EQ(EventText(*trace, "gemm"), "2400+200");
  // 2200 of the monotonic clock, which is 500 behind.
  EXPECT_EQ(EventText(*trace, "complete"), "2700+1000");
  EXPECT_EQ(EventText(*trace, "packed"), "2900+50");
  EXPECT_EQ(EventText(*trace, "open"), "3100+600");
  const Row step = FindRow(*trace, "ProfilerStep#7");
  EXPECT_EQ(trace->type()[step], STEPSCOPE_PROFILE_STEP);
  const Row op = FindRow(*trace, "matmul");
  EXPECT_EQ(trace->type()[op], STEPSCOPE_OPERATOR);
  EXPECT_EQ(trace->raw_args(op), R"("config": {"a": 1, "b": ["x"]})");
  EXPECT_EQ(ArgText(*trace, "matmul", "text"), "interned");
  const Row kernel = FindRow(*trace, "gemm");
  EXPECT_EQ(trace->type()[kernel], STEPSCOPE_KERNEL);
  const Track& stream = trace->tracks()[trace->track()[kernel]];
  EXPECT_EQ(stream.kind, TrackKind::kStream);
  EXPECT_EQ(stream.device, 1);
  EXPECT_EQ(stream.id, 13);
  const Track& thread = trace->tracks()[trace->track()[op]];
  EXPECT_EQ(thread.kind, TrackKind::kThread);
  EXPECT_EQ(thread.id, 7);
  EXPECT_EQ(trace->str(thread.name), "main");
  ASSERT_EQ(trace->processes().size(), 1u);
  EXPECT_EQ(trace->processes()[0].pid, 100);
  EXPECT_EQ(trace->str(trace->processes()[0].name), "train");
  EXPECT_EQ(stream.process, 0u);
  ASSERT_EQ(trace->links().size(), 2u);
  EXPECT_EQ(trace->links()[0].id, 77u);
  ASSERT_EQ(trace->counters().size(), 2u);
  EXPECT_EQ(trace->counters()[0].int_value, 3);
  EXPECT_EQ(trace->counters()[1].value, 2.5);
  EXPECT_NE(trace->flags()[FindRow(*trace, "open")] & kEventOpenAtEnd, 0);
}

// Names, defaults and clocks are of a sequence, and end when it is cleared.
TEST(PerfettoImportTest, SequencesKeepTheirStateApart) {
  const auto named = [](int64_t sequence, std::string_view name) {
    return Pb()
        .Int(10, sequence)
        .Int(13, 1)
        .Sub(12, Pb().Sub(2, Pb().Int(1, 1).Text(2, name)));
  };
  const Pb use = Pb().Int(9, 3).Int(10, 1).Int(11, 9);
  const auto trace = Import(Pb().Sub(1, named(1, "one"))
                                .Sub(1, named(2, "two"))
                                .Sub(1, Event(10, use, 1))
                                .Sub(1, Event(20, use, 2))
                                .Sub(1, Pb().Int(10, 1).Int(13, 1))
                                .Sub(1, Event(30, use, 1)));
  EXPECT_EQ(EventText(*trace, "one"), "10+0");
  EXPECT_EQ(EventText(*trace, "two"), "20+0");
  EXPECT_EQ(LedgerText(*trace), "kept 5, name that was not defined 1");
}

TEST(PerfettoImportTest, DefaultsSayTrackAndClock) {
  const Pb clock = Pb().Int(1, 64).Int(2, 5).Int(3, 1).Int(4, 1000);
  const Pb start =
      Pb().Int(10, 3)
          .Int(13, 1)
          .Sub(6, Pb().Sub(1, Pb().Int(1, 6).Int(2, 70000)).Sub(1, clock))
          .Sub(59, Pb().Int(58, 64).Sub(11, Pb().Int(11, 8)));
  const auto event = [](int64_t delta, const Pb& what) {
    return Pb().Int(8, delta).Int(10, 3).Int(13, 2).Sub(11, what);
  };
  const auto trace = Import(Pb().Sub(1, Thread(8, 1, 2))
                                .Sub(1, start)
                                .Sub(1, event(1, Pb().Int(9, 1).Text(23, "a")))
                                .Sub(1, event(2, Pb().Int(9, 2))));
  EXPECT_EQ(EventText(*trace, "a"), "71000+2000");
  EXPECT_EQ(trace->tracks()[0].id, 2);
  EXPECT_EQ(LedgerText(*trace), "kept 4");
}

TEST(PerfettoImportTest, TimesInMicrosecondsSinceTheLast) {
  const Pb thread = Pb().Int(10, 1).Int(13, 1).Sub(
      44, Pb().Int(1, 5).Int(2, 6).Text(5, "t").Int(6, 100));
  const auto event = [](const Pb& what) {
    return Pb().Int(10, 1).Int(13, 2).Sub(11, what);
  };
  const auto trace =
      Import(Pb().Sub(1, thread)
                 .Sub(1, event(Pb().Int(1, 5).Int(9, 1).Text(23, "a")))
                 .Sub(1, event(Pb().Int(16, 106).Int(9, 3).Text(23, "b")))
                 .Sub(1, event(Pb().Int(1, 4).Int(9, 2))));
  EXPECT_EQ(EventText(*trace, "a"), "105000+4000");
  EXPECT_EQ(EventText(*trace, "b"), "106000+0");
  EXPECT_EQ(trace->tracks()[0].id, 6);
}

// Two writers share a track; the file has the end before the begin.
TEST(PerfettoImportTest, EndBeforeItsBegin) {
  const auto trace = Import(Pb().Sub(1, Event(50, End(3), 2))
                                .Sub(1, Event(10, Begin("a", 3), 1))
                                .Sub(1, Event(20, Begin("b", 3), 1))
                                .Sub(1, Event(30, End(3), 1))
                                .Sub(1, Event(60, End(3), 1)));
  EXPECT_EQ(EventText(*trace, "a"), "10+40");
  EXPECT_EQ(EventText(*trace, "b"), "20+10");
  EXPECT_EQ(LedgerText(*trace), "kept 4, -end without a begin 1");
}

TEST(PerfettoImportTest, FlowsInOrderOfTime) {
  const auto flow = [](int64_t time, int64_t uuid, bool last) {
    std::string id("\x09\0\0\0\0\0\0\0", 8);
    return Event(time, Pb().Int(9, 3).Text(23, "e").Int(11, uuid).Text(
                           last ? 48 : 47, id));
  };
  const auto trace = Import(Pb().Sub(1, flow(20, 2, false))
                                .Sub(1, flow(10, 1, false))
                                .Sub(1, flow(30, 3, true))
                                .Sub(1, flow(40, 1, false)));
  ASSERT_EQ(trace->flows().size(), 4u);
  EXPECT_EQ(trace->flows()[0].phase, FlowPhase::kBegin);
  EXPECT_EQ(trace->flows()[1].phase, FlowPhase::kStep);
  EXPECT_EQ(trace->flows()[2].phase, FlowPhase::kEnd);
  EXPECT_EQ(trace->flows()[3].phase, FlowPhase::kBegin);
  EXPECT_EQ(trace->flows()[3].id, 9u);
}

TEST(PerfettoImportTest, CountersByDifferenceAndBesideSlices) {
  const Pb counter = Pb().Sub(60, Pb().Int(1, 5).Text(2, "time").Int(5, 2).Sub(
                                      8, Pb().Int(4, 1000).Int(5, 1)));
  const Pb defaults = Pb().Int(10, 1).Int(13, 1).Sub(
      59, Pb().Sub(11, Pb().Int(11, 2).Int(31, 5)));
  const auto trace =
      Import(Pb().Sub(1, Thread(2, 1, 1))
                 .Sub(1, counter)
                 .Sub(1, defaults)
                 .Sub(1, Event(10, Pb().Int(9, 1).Text(23, "a").Int(12, 7)))
                 .Sub(1, Event(20, Pb().Int(9, 2).Int(12, 2))));
  ASSERT_EQ(trace->counters().size(), 2u);
  EXPECT_EQ(trace->counters()[0].int_value, 7000);
  EXPECT_EQ(trace->counters()[1].int_value, 9000);
  EXPECT_EQ(trace->str(trace->tracks()[trace->counters()[0].track].name),
            "time");
}

TEST(PerfettoImportTest, LegacyPhases) {
  const auto legacy = [](int64_t time, char phase, const Pb& more,
                         std::string_view name) {
    return Event(time, Pb().Text(23, name).Int(11, 2).Sub(
                           6, Pb().Int(2, phase).Raw(more.str())));
  };
  const Pb id = Pb().Int(6, 0x99);
  const auto trace = Import(Pb().Sub(1, Thread(2, 1, 1))
                                .Sub(1, legacy(10, 'b', id, "async"))
                                .Sub(1, legacy(15, 'n', id, "point"))
                                .Sub(1, legacy(20, 'e', id, "async"))
                                .Sub(1, legacy(21, 's', id, "flow"))
                                .Sub(1, legacy(22, 'f', id, "flow"))
                                .Sub(1, legacy(23, 'B', {}, "slice"))
                                .Sub(1, legacy(24, 'E', {}, "slice"))
                                .Sub(1, legacy(25, '?', {}, "odd")));
  EXPECT_EQ(EventText(*trace, "async"), "10+10");
  EXPECT_EQ(EventText(*trace, "point"), "15+0");
  EXPECT_EQ(EventText(*trace, "slice"), "23+1");
  EXPECT_EQ(trace->tracks()[trace->track()[FindRow(*trace, "async")]].kind,
            TrackKind::kAsync);
  EXPECT_EQ(trace->flows().size(), 2u);
  EXPECT_EQ(LedgerText(*trace), "kept 8, -unknown phase 1");
}

// A packet of what is not read costs itself, by name.
TEST(PerfettoImportTest, OtherPacketsAreCountedByReason) {
  const auto trace = Import(Pb().Sub(1, Pb().Int(10, 1).Text(1, "x"))
                                .Sub(1, Pb().Int(10, 1).Text(37, "x"))
                                .Sub(1, Pb().Int(10, 1).Text(777, "x"))
                                .Sub(1, Pb().Int(10, 1).Text(33, "config"))
                                .Sub(1, Event(5, Begin("a", 1)))
                                .Sub(1, Event(6, End(1))));
  EXPECT_EQ(LedgerText(*trace),
            "kept 3, -ftrace events are not read 1, -heap profiles are not "
            "read 1, -packets of an unknown kind are not read 1");
}

TEST(PerfettoImportTest, DescriptorsMayComeLast) {
  const auto trace = Import(Pb().Sub(1, Event(5, Begin("a", 1)))
                                .Sub(1, Event(6, End(1)))
                                .Sub(1, Thread(1, 44, 55)));
  ASSERT_EQ(trace->tracks().size(), 1u);
  EXPECT_EQ(trace->tracks()[0].kind, TrackKind::kThread);
  EXPECT_EQ(trace->tracks()[0].id, 55);
  EXPECT_EQ(trace->processes()[0].pid, 44);
}

}  // namespace
}  // namespace stepscope::proto
