// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/clock_map.h"

#include <gtest/gtest.h>

#include <random>

#include "importers/capture/capture_writer_test_support.h"

namespace stepscope::capture {
namespace {

__extension__ using Wide = unsigned __int128;

// What piecewise linear interpolation gives, in exact arithmetic.
int64_t Exact(const format::Anchor& a, const format::Anchor& b, uint64_t tick) {
  const Wide ns = static_cast<Wide>(b.monotonic_ns - a.monotonic_ns) *
                  (tick - a.tick) / (b.tick - a.tick);
  return a.monotonic_ns + static_cast<int64_t>(ns);
}

TEST(ClockMapTest, AnchorsMapToThemselves) {
  const ClockMap map(
      {MakeAnchor(1000, 0), MakeAnchor(4000, 1000), MakeAnchor(10'000, 3001)},
      0);
  EXPECT_EQ(map.ToNs(1000), 0);
  EXPECT_EQ(map.ToNs(4000), 1000);
  EXPECT_EQ(map.ToNs(10'000), 3001);
  EXPECT_EQ(map.ToNs(2500), 500);
}

// Real intervals: 3 GHz, 25 MHz and 1 GHz counters, anchors 0.2 s apart.
TEST(ClockMapTest, ExactBetweenAnchors) {
  std::mt19937_64 random(1);
  for (const double hz : {2'999'999'777.0, 25'000'001.0, 1e9, 54'000'000.0}) {
    std::vector<format::Anchor> anchors;
    uint64_t tick = 123'456'789'012'345;
    int64_t ns = 0;
    for (int i = 0; i < 6; ++i) {
      anchors.push_back(MakeAnchor(tick, ns));
      tick += static_cast<uint64_t>(hz * 0.2) + random() % 1000;
      ns += 200'000'000 + static_cast<int64_t>(random() % 300);
    }
    const ClockMap map(anchors, 0);
    for (size_t i = 0; i + 1 < anchors.size(); ++i) {
      const format::Anchor& a = anchors[i];
      const format::Anchor& b = anchors[i + 1];
      for (int n = 0; n < 20'000; ++n) {
        const uint64_t t = a.tick + random() % (b.tick - a.tick);
        ASSERT_EQ(map.ToNs(t), Exact(a, b, t)) << hz << " " << t;
      }
      ASSERT_EQ(map.ToNs(b.tick - 1), Exact(a, b, b.tick - 1));
    }
  }
}

TEST(ClockMapTest, MonotoneEverywhere) {
  std::vector<format::Anchor> anchors;
  for (int i = 0; i < 5; ++i)
    anchors.push_back(MakeAnchor(10'000 + static_cast<uint64_t>(i) * 997,
                                 i * 333 + (i == 3 ? 40 : 0)));
  const ClockMap map(anchors, 0);
  int64_t before = map.ToNs(0);
  for (uint64_t tick = 0; tick < 30'000; ++tick) {
    const int64_t ns = map.ToNs(tick);
    ASSERT_GE(ns, before) << tick;
    before = ns;
  }
}

TEST(ClockMapTest, ContinuesBeyondAtTheAverageRate) {
  const ClockMap map({MakeAnchor(3000, 0), MakeAnchor(6000, 1000)}, 0);
  EXPECT_EQ(map.ToNs(9000), 2000);
  EXPECT_EQ(map.ToNs(0), -1000);
  EXPECT_NEAR(map.ticks_per_second(), 3e9, 1);
}

TEST(ClockMapTest, OneAnchorUsesTheStatedRate) {
  const ClockMap map({MakeAnchor(1000, 0)}, 24'000'000);
  EXPECT_EQ(map.ToNs(1000 + 24'000'000), 1'000'000'000);
  EXPECT_TRUE(map.rate_known());
  const ClockMap unknown({MakeAnchor(1000, 0)}, 0);
  EXPECT_FALSE(unknown.rate_known());
  EXPECT_EQ(unknown.ToNs(1500), 500);
}

TEST(ClockMapTest, LeavesOutWhatRunsBackwards) {
  const ClockMap map(
      {MakeAnchor(1000, 0), MakeAnchor(2000, 900), MakeAnchor(3000, 500),
       MakeAnchor(4000, 1900), MakeAnchor(4000, 1900)},
      0);
  EXPECT_EQ(map.anchors().size(), 3u);
  EXPECT_EQ(map.anchors_left_out(), 2u);
}

TEST(ClockMapTest, GarbageStaysInBounds) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::vector<format::Anchor> anchors(random() % 4);
    for (format::Anchor& a : anchors)
      a = {random() >> (random() % 64),
           static_cast<int64_t>(random() >> (random() % 64)), 0, 0, 0};
    const ClockMap map(anchors, random() >> (random() % 64));
    for (int n = 0; n < 20; ++n) {
      const uint64_t tick = random() >> (random() % 64);
      const int64_t ns = map.ToNs(tick);
      ASSERT_LE(ns, kTimeLimitNs);
      ASSERT_GE(ns, -kTimeLimitNs);
    }
  }
}

}  // namespace
}  // namespace stepscope::capture
