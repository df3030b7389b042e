// SPDX-License-Identifier: Apache-2.0
#include "timeline/memory_pyramid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace stepscope {
namespace {

constexpr int64_t kBegin = 1'000'000'007;
constexpr int64_t kSpan = 10'000'000'000;  // 10 s
constexpr uint64_t kBytes = uint64_t{3} << 30;

// Blocks that follow one another at fixed places, as an allocator makes them:
// some live long, most for some microseconds.
std::vector<MemoryBox> RandomBoxes(size_t most) {
  std::mt19937_64 random(11);
  std::vector<MemoryBox> boxes;
  constexpr uint64_t kPlaces = 64;
  for (uint64_t place = 0; place < kPlaces; ++place) {
    const uint64_t room = kBytes / kPlaces;
    int64_t time = kBegin;
    while (boxes.size() < most * (place + 1) / kPlaces) {
      const int64_t scale = int64_t{1} << (10 + random() % 18);
      time += static_cast<int64_t>(random() % static_cast<uint64_t>(scale));
      const auto dur =
          static_cast<int64_t>(random() % static_cast<uint64_t>(scale));
      if (time + dur >= kBegin + kSpan) break;
      const uint64_t bytes = std::min(room, uint64_t{512} << (random() % 18));
      boxes.push_back({time, time + dur, place * room, bytes,
                       static_cast<uint32_t>(random() % 5)});
      time += dur;
    }
  }
  std::sort(boxes.begin(), boxes.end(),
            [](const MemoryBox& a, const MemoryBox& b) {
              return a.begin_ns < b.begin_ns;
            });
  return boxes;
}

class MemoryPyramidTest : public testing::Test {
 protected:
  MemoryPyramidTest()
      : boxes_(RandomBoxes(20'000)),
        pyramid_(
            boxes_.size(), [this](size_t i) { return boxes_[i]; }, kBegin,
            kBegin + kSpan, kBytes) {}

  void Check(const MemoryWindow& window) {
    const double cell_ns =
        static_cast<double>(window.end_ns - window.begin_ns) / window.columns;
    const double cell_bytes =
        static_cast<double>(window.high - window.low) / window.rows;
    const MemoryPicture picture = pyramid_.Draw(window, groups_);
    std::set<uint32_t> rects;
    for (const MemoryRect& rect : picture.rects) {
      const MemoryBox& box = boxes_[rect.id];
      EXPECT_EQ(rect.begin_ns, static_cast<double>(box.begin_ns));
      EXPECT_EQ(rect.end_ns, static_cast<double>(box.end_ns));
      EXPECT_EQ(rect.at * pyramid_.unit_bytes(), box.at);
      EXPECT_EQ(rect.size * pyramid_.unit_bytes(), box.bytes);
      EXPECT_EQ(rect.group, groups_[box.owner]);
      rects.insert(rect.id);
    }
    EXPECT_EQ(rects.size(), picture.rects.size()) << "a box is drawn twice";
    std::vector<uint8_t> shares(size_t{window.columns} * window.rows);
    for (const MemoryRun& run : picture.runs)
      for (uint32_t x = run.first; x <= run.last; ++x)
        shares[size_t{run.row} * window.columns + x] = run.share;
    std::vector<bool> explained(shares.size());
    for (uint32_t i = 0; i < boxes_.size(); ++i) {
      const MemoryBox& box = boxes_[i];
      // What lies just outside may be blurred into the window.
      const auto near_ns = static_cast<int64_t>(2 * cell_ns);
      const auto near_bytes = static_cast<uint64_t>(kBytes / 8192);
      if (box.end_ns + near_ns < window.begin_ns ||
          box.begin_ns - near_ns > window.end_ns ||
          box.at + box.bytes + near_bytes < window.low ||
          box.at > window.high + near_bytes)
        continue;
      const bool seen = box.end_ns > window.begin_ns &&
                        box.begin_ns < window.end_ns &&
                        box.at + box.bytes > window.low && box.at < window.high;
      const bool large =
          static_cast<double>(box.end_ns - box.begin_ns) >= 1.5 * cell_ns &&
          static_cast<double>(box.bytes) >= 1.5 * cell_bytes;
      EXPECT_EQ(rects.contains(i), seen && large);
      if (large) continue;
      // Its cells, and those that a bucket and a bin may blur it into.
      const double bin = static_cast<double>(kBytes) / 8192;
      const auto cell = [](double from, double unit, uint32_t count) {
        return static_cast<uint32_t>(
            std::clamp(from / unit, 0.0, static_cast<double>(count - 1)));
      };
      const auto begin = static_cast<double>(box.begin_ns - window.begin_ns);
      const auto end = static_cast<double>(box.end_ns - window.begin_ns);
      const double low =
          static_cast<double>(box.at) - static_cast<double>(window.low);
      const double high = low + static_cast<double>(box.bytes);
      bool found = false;
      for (uint32_t row = cell(low - bin - cell_bytes, cell_bytes, window.rows);
           row <= cell(high + bin + cell_bytes, cell_bytes, window.rows); ++row)
        for (uint32_t x = cell(begin - 2 * cell_ns, cell_ns, window.columns);
             x <= cell(end + 2 * cell_ns, cell_ns, window.columns); ++x) {
          const size_t at = size_t{row} * window.columns + x;
          explained[at] = true;
          found |= shares[at] > 0;
        }
      EXPECT_TRUE(found || !seen || box.end_ns == box.begin_ns)
          << "box " << i << " is lost";
    }
    for (size_t at = 0; at < shares.size(); ++at)
      EXPECT_TRUE(shares[at] == 0 || explained[at]) << "cell " << at;
  }

  const std::vector<MemoryBox> boxes_;
  const MemoryPyramid pyramid_;
  const std::vector<uint8_t> groups_ = {3, 1, 4, 1, 5};
};

TEST_F(MemoryPyramidTest, NothingIsLostAtAnyZoom) {
  std::mt19937_64 random(5);
  for (int zoom = 0; zoom < 24; ++zoom) {
    const int64_t length = std::max<int64_t>(kSpan >> zoom, 100);
    const auto begin =
        kBegin + static_cast<int64_t>(
                     random() % static_cast<uint64_t>(kSpan - length + 1));
    const uint64_t room = kBytes >> (random() % 6);
    const uint64_t low = random() % (kBytes - room + 1);
    Check({begin, begin + length, low, low + room, 200, 50});
  }
}

TEST_F(MemoryPyramidTest, NoCellIsMoreThanFull) {
  const MemoryPicture picture =
      pyramid_.Draw({kBegin, kBegin + kSpan, 0, kBytes, 100, 20}, groups_);
  EXPECT_FALSE(picture.runs.empty());
  for (const MemoryRun& run : picture.runs) {
    EXPECT_LT(run.row, 20);
    EXPECT_LE(run.first, run.last);
    EXPECT_LT(run.last, 100);
  }
}

TEST_F(MemoryPyramidTest, WindowsOfNothing) {
  EXPECT_TRUE(pyramid_.Draw({kBegin, kBegin, 0, 1, 9, 9}, {}).rects.empty());
  EXPECT_TRUE(pyramid_.Draw({0, 5, 0, kBytes, 9, 9}, groups_).runs.empty());
  EXPECT_TRUE(
      pyramid_.Draw({kBegin, kBegin + 9, 5, 5, 9, 9}, {}).rects.empty());
}

// A device of more than 4 GiB, and a terabyte of them.
TEST(MemoryPyramidUnitTest, LargeAddresses) {
  const uint64_t all = uint64_t{1} << 40;
  const MemoryBox box{0, 100, all / 2, all / 4, 0};
  const MemoryPyramid pyramid(
      1, [&](size_t) { return box; }, 0, 100, all);
  const MemoryPicture picture = pyramid.Draw({0, 100, 0, all, 10, 10}, {});
  ASSERT_EQ(picture.rects.size(), 1u);
  EXPECT_EQ(picture.rects[0].at * pyramid.unit_bytes(), all / 2);
  EXPECT_EQ(picture.rects[0].size * pyramid.unit_bytes(), all / 4);
}

}  // namespace
}  // namespace stepscope
