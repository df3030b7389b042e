// SPDX-License-Identifier: Apache-2.0
//
// MemoryPyramid: allocations as boxes in time and address, at every zoom. A box
// that a screen can show is drawn as it is. What is too short or too small for
// it adds to the cells of the screen: short boxes of one stretch of addresses
// and one bucket of time were put together when the pyramid was built, so that
// a screen costs as much as it shows, whatever lies behind it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace stepscope {

// An allocation. No two overlap in time and address.
struct MemoryBox {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint64_t at = 0;  // the address, without what nobody reserved
  uint64_t bytes = 0;
  uint32_t owner = 0;
};

// What is looked at: [begin, end) by [low, high) on so many cells.
struct MemoryWindow {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint64_t low = 0;
  uint64_t high = 0;
  uint32_t columns = 0;
  uint32_t rows = 0;
};

// As it is sent: docs/formats/http.md.
struct MemoryRect {
  double begin_ns = 0;
  double end_ns = 0;
  uint32_t at = 0;  // and `size`: in units of the pyramid
  uint32_t size = 0;
  uint32_t id = 0;  // number of the box
  uint32_t group = 0;
};
static_assert(sizeof(MemoryRect) == 32);

// Cells beside one another, which are alike.
struct MemoryRun {
  uint16_t first = 0;  // columns, from the left
  uint16_t last = 0;
  uint16_t row = 0;   // from the lowest address
  uint8_t share = 0;  // of the cells that is in use, of 255
  uint8_t group = 0;  // whose most of it is
};
static_assert(sizeof(MemoryRun) == 8);

struct MemoryPicture {
  std::vector<MemoryRect> rects;
  std::vector<MemoryRun> runs;
};

class MemoryPyramid {
 public:
  using BoxAt = std::function<MemoryBox(size_t i)>;

  // `boxes` are ordered by their begins; all lie in [begin, end) and below
  // `bytes`.
  MemoryPyramid(size_t boxes, const BoxAt& at, int64_t begin_ns, int64_t end_ns,
                uint64_t bytes);

  // `group_of`: by owner.
  MemoryPicture Draw(const MemoryWindow& window,
                     std::span<const uint8_t> group_of) const;

  uint64_t unit_bytes() const { return unit_; }
  size_t bytes() const;

 private:
  class Canvas;
  struct Box {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    uint32_t at = 0;  // in units
    uint32_t size = 0;
    uint32_t owner = 0;
    uint32_t id = 0;
  };
  // Of a level: boxes that are shorter than its buckets.
  struct Cell {
    uint32_t bucket = 0;
    uint16_t bin = 0;  // the first
    uint16_t bins = 0;
    uint32_t owner = 0;
    float busy_ns = 0;  // as if all of these bins were in use so long
  };
  // Each with buckets four times as long as those of the one before.
  static constexpr int kLevels = 6;
  static constexpr int kFinestLog = 20;  // of the number of buckets
  static constexpr uint32_t kBins = 8192;
  // Boxes of the longest class begin anywhere: so many are passed at once.
  static constexpr size_t kPassed = 256;

  int ClassOf(int64_t dur_ns) const;
  Cell CellOf(const Box& box, int level) const;
  void BuildLevel(int level);
  static void Join(std::vector<Cell>& cells, std::vector<Cell>& into);
  void DrawCells(int level, const MemoryWindow& window, Canvas& canvas) const;
  void DrawBoxes(int length, const MemoryWindow& window, Canvas& canvas) const;

  const int64_t begin_ns_;
  uint64_t unit_ = 1;
  double bin_bytes_ = 1;
  std::array<int64_t, kLevels> bucket_ns_{};
  // By how long they are: shorter than a bucket of that level; the rest last.
  std::array<std::vector<Box>, kLevels + 1> boxes_;
  std::array<std::vector<Cell>, kLevels> cells_;
  std::vector<int64_t> latest_ns_;  // end of each kPassed of the last class
};

}  // namespace stepscope
