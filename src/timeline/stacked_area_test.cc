// SPDX-License-Identifier: Apache-2.0
#include "timeline/stacked_area.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace stepscope {
namespace {

constexpr uint32_t kGroups = 5;

// Many at one time, as clocks of microseconds have them.
std::vector<HeldChange> RandomChanges(size_t count, bool totals) {
  std::mt19937_64 random(3);
  std::vector<HeldChange> changes;
  std::vector<int64_t> held(kGroups);
  int64_t time = 50;
  int64_t before = 7'000;
  for (size_t i = 0; i < count; ++i) {
    time += random() % 3 == 0 ? static_cast<int64_t>(random() % 9) : 0;
    HeldChange change{time, 0, static_cast<uint32_t>(random() % (kGroups - 1)),
                      -1};
    int64_t& has = held[change.group];
    change.bytes = has > 0 && random() % 2 == 0
                       ? -static_cast<int64_t>(random()) % (has + 1)
                       : static_cast<int64_t>(random() % 1000);
    if (has + change.bytes < 0) change.bytes = -has;
    has += change.bytes;
    if (random() % 97 == 0) before = static_cast<int64_t>(random() % 9'000);
    if (totals)
      change.total = std::accumulate(held.begin(), held.end(), before);
    changes.push_back(change);
  }
  return changes;
}

std::vector<int64_t> HeldAfter(const std::vector<HeldChange>& changes,
                               size_t last) {
  std::vector<int64_t> held(kGroups);
  if (last == StackedArea::kNone) return held;
  for (size_t i = 0; i <= last; ++i) {
    held[changes[i].group] += changes[i].bytes;
    if (changes[i].total >= 0)
      held.back() = changes[i].total -
                    std::accumulate(held.begin(), held.end() - 1, int64_t{0});
  }
  return held;
}

int64_t Sum(const std::vector<int64_t>& held) {
  return std::accumulate(held.begin(), held.end(), int64_t{0});
}

class StackedAreaTest : public testing::TestWithParam<bool> {
 protected:
  StackedAreaTest()
      : changes_(RandomChanges(60'000, GetParam())),
        area_(changes_.size(), kGroups,
              [this](size_t i) { return changes_[i]; }) {
    for (size_t i = 0; i < changes_.size(); ++i)
      totals_.push_back((totals_.empty() ? 0 : totals_.back()) +
                        changes_[i].bytes);
    if (GetParam())
      for (size_t i = 0; i < changes_.size(); ++i)
        totals_[i] = changes_[i].total;
  }

  // The most in [begin, end), over changes.
  int64_t MostIn(int64_t begin, int64_t end) const {
    int64_t most = INT64_MIN;
    for (size_t i = 0; i < changes_.size(); ++i)
      if (changes_[i].time_ns >= begin && changes_[i].time_ns < end)
        most = std::max(most, totals_[i]);
    return most;
  }

  const std::vector<HeldChange> changes_;
  const StackedArea area_;
  std::vector<int64_t> totals_;
};

TEST_P(StackedAreaTest, EachSampleIsAnInstantOfTheRecording) {
  const int64_t end = changes_.back().time_ns + 1;
  for (const uint32_t columns : {1u, 7u, 20u, 300u}) {
    for (const auto& [from, to] : {std::pair{int64_t{0}, end},
                                   {end / 3, end / 2},
                                   {end / 2, end / 2 + 40}}) {
      const auto samples = area_.Draw(from, to, columns);
      ASSERT_FALSE(samples.empty());
      EXPECT_LE(samples.size(), columns + 1);
      EXPECT_EQ(samples[0].time_ns, from);
      EXPECT_EQ(samples[0].held, HeldAfter(changes_, samples[0].change));
      int64_t most = INT64_MIN;
      for (size_t i = 1; i < samples.size(); ++i) {
        EXPECT_LE(samples[i - 1].time_ns, samples[i].time_ns);
        EXPECT_EQ(samples[i].time_ns, changes_[samples[i].change].time_ns);
        EXPECT_EQ(samples[i].held, HeldAfter(changes_, samples[i].change));
        most = std::max(most, Sum(samples[i].held));
      }
      EXPECT_EQ(most, MostIn(from, to));
    }
  }
}

TEST_P(StackedAreaTest, ThePeakIsTheFirstThatIsHighest) {
  const StackedArea::Sample peak = area_.Peak();
  const auto most = std::max_element(totals_.begin(), totals_.end());
  EXPECT_EQ(peak.change, static_cast<size_t>(most - totals_.begin()));
  EXPECT_EQ(peak.held, HeldAfter(changes_, peak.change));
}

INSTANTIATE_TEST_SUITE_P(Totals, StackedAreaTest, testing::Bool());

TEST(StackedAreaOfNothingTest, IsEmpty) {
  const StackedArea area(0, 3, [](size_t) { return HeldChange(); });
  EXPECT_TRUE(area.Draw(0, 100, 10).empty());
  EXPECT_EQ(area.Peak().change, StackedArea::kNone);
}

}  // namespace
}  // namespace stepscope
