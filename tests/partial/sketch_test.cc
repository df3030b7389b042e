// SPDX-License-Identifier: Apache-2.0
//
// The sketch of durations: exact for few, within its error for many, and the
// same in whatever order parts of it come together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "analysis/duration_sketch.h"

namespace stepscope {
namespace {

std::vector<int64_t> Draw(std::mt19937& random, size_t count, double spread) {
  std::lognormal_distribution<double> draw(9, spread);
  std::vector<int64_t> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(static_cast<int64_t>(draw(random)));
  return values;
}

void ExpectNear(int64_t exact, int64_t found) {
  const double most =
      static_cast<double>(exact) * DurationSketch::kRelativeError;
  EXPECT_LE(std::abs(static_cast<double>(found - exact)), most);
}

void ExpectSameHistogram(const Spread& a, const Spread& b) {
  ASSERT_EQ(a.histogram.size(), b.histogram.size());
  for (size_t i = 0; i < a.histogram.size(); ++i) {
    EXPECT_EQ(a.histogram[i].exponent, b.histogram[i].exponent);
    EXPECT_EQ(a.histogram[i].count, b.histogram[i].count);
  }
}

TEST(DurationSketch, IsExactForFewDurations) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < 5000; ++i)
    values.push_back(static_cast<int64_t>(i % DurationSketch::kExact) * 977);
  const DurationSketch sketch = DurationSketch::Of(values);
  EXPECT_TRUE(sketch.exact());
  const Spread found = sketch.ToSpread();
  const Spread exact = ComputeSpread(values);
  EXPECT_EQ(found.p50_ns, exact.p50_ns);
  EXPECT_EQ(found.p90_ns, exact.p90_ns);
  EXPECT_EQ(found.p99_ns, exact.p99_ns);
  ExpectSameHistogram(found, exact);
}

TEST(DurationSketch, StaysWithinItsError) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<int64_t> values =
        Draw(random, 1 + random() % 3000, 0.1 * (round % 30));
    const Spread found = DurationSketch::Of(values).ToSpread();
    const Spread exact = ComputeSpread(values);
    ExpectNear(exact.p50_ns, found.p50_ns);
    ExpectNear(exact.p90_ns, found.p90_ns);
    ExpectNear(exact.p99_ns, found.p99_ns);
    ExpectSameHistogram(found, exact);
  }
}

TEST(DurationSketch, HoldsTheLargestDurations) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 200; ++i) values.push_back(INT64_MAX - i);
  const Spread found = DurationSketch::Of(values).ToSpread();
  ExpectNear(INT64_MAX, found.p50_ns);
  ExpectNear(INT64_MAX, found.p99_ns);
}

// Parts of one set of durations, put together in any order and any grouping,
// are the sketch of the whole.
TEST(DurationSketch, IsTheSameInWhateverOrder) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    const std::vector<int64_t> values =
        Draw(random, random() % 600, round % 2 == 0 ? 0.01 : 2);
    std::vector<DurationSketch> parts;
    for (size_t first = 0; first < values.size();) {
      const size_t size =
          std::min<size_t>(values.size() - first, 1 + random() % 90);
      parts.push_back(
          DurationSketch::Of(std::span(values).subspan(first, size)));
      first += size;
    }
    std::shuffle(parts.begin(), parts.end(), random);
    while (parts.size() > 1) {
      const size_t a = random() % parts.size();
      const size_t b = (a + 1 + random() % (parts.size() - 1)) % parts.size();
      parts[a].Add(parts[b]);
      parts.erase(parts.begin() + static_cast<ptrdiff_t>(b));
    }
    const DurationSketch whole = DurationSketch::Of(values);
    EXPECT_EQ(whole.count(), values.size());
    if (!parts.empty()) {
      EXPECT_TRUE(parts[0] == whole) << "round " << round;
    }
  }
}

TEST(DurationSketch, RefusesWhatNoSketchIs) {
  DurationSketch sketch;
  EXPECT_TRUE(DurationSketch::FromParts(true, {{5, 1}, {7, 2}}, sketch));
  EXPECT_EQ(sketch.count(), 3u);
  EXPECT_FALSE(DurationSketch::FromParts(true, {{7, 1}, {5, 2}}, sketch));
  EXPECT_FALSE(DurationSketch::FromParts(true, {{7, 1}, {7, 2}}, sketch));
  EXPECT_FALSE(DurationSketch::FromParts(true, {{7, 0}}, sketch));
  EXPECT_FALSE(DurationSketch::FromParts(true, {{~uint64_t{0}, 1}}, sketch));
  EXPECT_FALSE(DurationSketch::FromParts(false, {{1u << 20, 1}}, sketch));
}

}  // namespace
}  // namespace stepscope
