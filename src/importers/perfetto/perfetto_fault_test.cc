// SPDX-License-Identifier: Apache-2.0
//
// What only an adversary writes. Cut and flipped files are in
// proto/proto_fault_test.cc, with those of the other formats.
#include <gtest/gtest.h>

#include "importers/perfetto/perfetto_sample_test_support.h"

namespace stepscope::proto {
namespace {

constexpr int64_t kMany = 200'000;

std::shared_ptr<const Trace> Import(const Pb& trace) {
  return ImportBytes(pftrace::ImportPerfetto, trace.str());
}
Pb Event(int64_t time, const Pb& event) {
  return Pb().Int(8, time).Int(10, 1).Sub(11, event);
}
Pb Instant(int64_t uuid) { return Pb().Int(9, 3).Text(23, "e").Int(11, uuid); }

TEST(PerfettoFaultTest, BeginsWithoutEnds) {
  Pb trace;
  for (int64_t i = 0; i < kMany; ++i)
    trace.Sub(1, Event(i, Pb().Int(9, 1).Text(23, "e").Int(11, 1)));
  const auto read = Import(trace);
  EXPECT_EQ(read->size(), static_cast<Row>(kMany));
  EXPECT_EQ(LedgerText(*read), "kept 0, begin without an end 200000");
}

TEST(PerfettoFaultTest, EndsWithoutBegins) {
  Pb trace = Pb().Sub(1, Event(0, Instant(2)));
  for (int64_t i = 0; i < kMany; ++i)
    trace.Sub(1, Event(kMany - i, Pb().Int(9, 2).Int(11, 1)));
  EXPECT_EQ(LedgerText(*Import(trace)), "kept 1, -end without a begin 200000");
}

TEST(PerfettoFaultTest, BeginsAndEndsBackwards) {
  Pb trace;
  for (int64_t i = 2 * kMany; i > 0; --i)
    trace.Sub(1,
              Event(i, i % 2 == 0 ? Pb().Int(9, 2).Int(11, 1)
                                  : Pb().Int(9, 1).Text(23, "e").Int(11, 1)));
  const auto read = Import(trace);
  EXPECT_EQ(LedgerText(*read), "kept 400000");
  for (const int64_t dur : read->dur_ns()) ASSERT_EQ(dur, 1);
}

// Uuids of all sizes, parents in a chain as long as the file, and in a ring.
TEST(PerfettoFaultTest, ManyTracksAndLongChains) {
  Pb trace;
  for (int64_t i = 1; i <= kMany; ++i) {
    const int64_t uuid = i * 0x100000001b3;
    trace.Sub(1, Pb().Sub(60, Pb().Int(1, uuid).Int(5, uuid + 0x100000001b3)));
    trace.Sub(1, Event(i, Instant(uuid)));
  }
  trace.Sub(1, Pb().Sub(60, Pb().Int(1, -1).Int(5, -2)));
  trace.Sub(1, Pb().Sub(60, Pb().Int(1, -2).Int(5, -1)));
  trace.Sub(1, Pb().Sub(60, Pb().Int(1, -3).Int(5, -3)));
  for (const int64_t uuid : {-1, -2, -3}) trace.Sub(1, Event(1, Instant(uuid)));
  const auto read = Import(trace);
  EXPECT_EQ(read->tracks().size(), static_cast<size_t>(kMany) + 3);
  EXPECT_EQ(read->processes().size(), 1u);
}

TEST(PerfettoFaultTest, ManySequencesAndSparseIds) {
  Pb trace;
  for (int64_t i = 0; i < kMany; ++i)
    trace.Sub(1,
              Pb().Int(10, i * 77777)
                  .Int(13, 1)
                  .Sub(12, Pb().Sub(2, Pb().Int(1, 60'000 + i).Text(2, "n"))));
  EXPECT_EQ(LedgerText(*Import(trace)), "kept 200000");
}

TEST(PerfettoFaultTest, IdsThatAreNeverDefined) {
  const auto read = Import(
      Pb().Sub(1, Event(1, Pb().Int(9, 3).Int(10, -1).Int(3, -1).Int(11, -1)))
          .Sub(1, Event(2, Instant(1).Sub(4, Pb().Int(1, 99).Int(17, 99)))));
  EXPECT_EQ(read->size(), 2u);
  EXPECT_EQ(LedgerText(*read), "kept 1, name that was not defined 1");
}

// Annotations within annotations: as deep as a file is long.
TEST(PerfettoFaultTest, DeepAnnotations) {
  for (const uint32_t field : {11u, 12u, 8u}) {
    std::string deep = Pb().Int(4, 1).str();
    while (deep.size() < 60'000)
      deep = Pb().Text(field == 8 && deep.size() > 2 ? 4 : field, deep).str();
    const auto read = Import(Pb().Sub(1, Event(1, Instant(1).Text(4, deep))));
    EXPECT_EQ(read->size(), 1u);
    if (field != 8) {
      EXPECT_EQ(LedgerText(*read), "kept 0, argument nested too deeply 1");
    }
  }
}

TEST(PerfettoFaultTest, CompressedBombs) {
  // A thousand times as many bytes as there are in the file.
  const std::string bomb = Zipped(std::string(size_t{8} << 20, '\0'));
  const std::string inner =
      Pb().Sub(1, Pb().Text(50, Zipped(PerfettoSample()))).str();
  const auto read = Import(Pb().Sub(1, Pb().Text(50, bomb))
                               .Sub(1, Pb().Text(50, Zipped(inner)))
                               .Sub(1, Pb().Text(50, "no deflate"))
                               .Sub(1, Event(1, Instant(1))));
  EXPECT_EQ(LedgerText(*read),
            "kept 1, -compressed packets that are damaged or cut short 1, "
            "-compressed packets that expand too much 1, -compressed packets "
            "within compressed packets 1");
}

TEST(PerfettoFaultTest, TimesOutOfRange) {
  const auto read =
      Import(Pb().Sub(1, Event(-1, Instant(1)))
                 .Sub(1, Event(INT64_MAX, Instant(1)))
                 .Sub(1, Event(5, Pb().Text(23, "x").Int(11, 1).Sub(
                                      6, Pb().Int(2, 'X').Int(3, INT64_MAX))))
                 .Sub(1, Event(5, Instant(1)))
                 .Sub(1, Pb().Int(10, 1).Sub(11, Instant(1))));
  EXPECT_EQ(LedgerText(*read), "kept 1, -no time 1, -time out of range 3");
}

// Tracks of our files that only viewers need, with everything on them that is
// not meant for them, and no process at all.
TEST(PerfettoFaultTest, EventsOnTracksForViewers) {
  for (const int64_t kind : {1, 2, 3, 4, 6, 7, 99}) {
    const Pb track =
        Pb().Sub(60, Pb().Int(1, 5).Sub(15000, Pb().Int(1, kind).Int(3, 1)));
    const Pb slice = Pb().Int(9, 1).Text(23, "e").Int(11, 5);
    const auto read =
        Import(Pb().Sub(1, track)
                   .Sub(1, Event(1, Pb().Int(9, 4).Int(11, 5).Int(30, 1)))
                   .Sub(1, Event(2, Pb(slice).Int(31, 5).Int(12, 7)))
                   .Sub(1, Event(3, Pb().Int(9, 2).Int(11, 5)))
                   .Sub(1, Event(4, Instant(5))));
    for (const Track& each : read->tracks())
      ASSERT_LT(each.process, read->processes().size()) << kind;
    EXPECT_EQ(read->ledger().seen(), 5u) << kind;
  }
}

}  // namespace
}  // namespace stepscope::proto
