// SPDX-License-Identifier: Apache-2.0
//
// Builds the levels of a block: puts its rows into lines, finds from which
// level on an event is one mark with the one before it, chooses the levels
// that are worth their memory, and writes all of them in one pass over each
// line. Keeps its memory for the next block. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "timeline/pyramid.h"
#include "timeline/pyramid_block.h"
#include "timeline/pyramid_mark.h"
#include "timeline/pyramid_top.h"

namespace stepscope {

// A block that was built.
struct PyramidBlockBytes {
  PyramidBlock::Shape shape;
  std::unique_ptr<std::byte[]> bytes;

  std::span<const std::byte> view() const {
    return {bytes.get(), shape.bytes()};
  }
};

// What is to be built of a block.
struct PyramidBlockPlan {
  Row first = 0;  // rows of one track, at most PyramidBlock::kMostRows
  Row last = 0;
  TrackLines lines = TrackLines::kNative;  // of the track
  // Levels below the first are not kept. From the other on they are those of
  // the top.
  int least_level = 0;
  int top_level = kMaxLevel + 1;
};

class PyramidBlockBuilder {
 public:
  // All of it outlives this.
  PyramidBlockBuilder(const Trace& trace, int64_t origin_ns,
                      const PyramidClasses& classes);

  // `above`: where the marks for the top go; null: it has none.
  PyramidBlockBytes Build(const PyramidBlockPlan& plan, PyramidTopMarks* above);
  // The same, quicker the coarser `least_level` is.
  PyramidBlockBytes BuildCoarse(const PyramidBlockPlan& plan,
                                PyramidTopMarks* above);
  // The levels from `level` on of rows whose blocks gave these marks, in order.
  PyramidBlockBytes BuildTop(Row first, Row last, int level,
                             std::span<const PyramidTopMarks> blocks);

 private:
  // A level while it is written.
  struct Level {
    int k = 0;
    bool has_names = false;
    bool wide = false;  // every box has an extra
    PyramidMark open;
    std::vector<PyramidBox> boxes;
    std::vector<uint32_t> names;  // of the boxes, or empty
    std::vector<PyramidExtra> extras;
    std::vector<PyramidBlock::Tile> tiles;
    std::vector<PyramidBlock::Section> sections;  // by line
  };

  void Begin(const PyramidBlockPlan& plan, PyramidTopMarks* above);
  void FindLines(TrackLines lines);
  void SortIntoLines();
  void FindMerges();
  void ChooseLevels();
  void ChooseTopLevels(uint32_t marks);
  // Of a kept level; the least that tiles can count.
  Level& AddLevel(int k);
  int LeastLevel() const;
  void CollectTopMarks(std::span<const PyramidTopMarks> blocks);
  void AddTopMarks(uint32_t line, std::span<const PyramidMark> marks);
  // Levels as these factors ask for; the bytes of their boxes and names.
  size_t TryLevels(double first_shrink, double next_shrink);
  void BeginLine();
  void EndLine();
  void WriteLine(uint32_t line);
  void CollectMarks();
  void WriteMarks(std::span<const PyramidMark> marks);
  void Flush(size_t level);
  void Write(Level& level, const PyramidMark& mark);
  PyramidBox BoxOf(Level& level, const PyramidMark& mark, uint64_t x,
                   uint64_t w);
  PyramidBlockBytes Joined() const;

  const Trace& trace_;
  const std::span<const int64_t> start_ns_;
  const std::span<const int64_t> dur_ns_;
  const std::span<const StringId> name_;
  const std::span<const uint16_t> type_;
  const std::span<const uint32_t> depth_;
  const int64_t origin_ns_;
  const PyramidClasses& classes_;

  Row first_ = 0;
  Row last_ = 0;
  uint32_t native_depths_ = 0;
  uint32_t python_depths_ = 0;
  int least_level_ = 0;
  int top_level_ = kMaxLevel + 1;
  PyramidTopMarks* above_ = nullptr;
  std::vector<std::vector<PyramidMark>> marks_;  // by line, of that level
  std::vector<uint32_t> line_of_;                // by row
  std::vector<uint32_t> line_end_;  // by line: its end in what follows
  std::vector<uint16_t> order_;     // rows from the first, by line
  // The same: the level from which on the row is one mark with the row before
  // it on its line.
  std::vector<uint8_t> merges_from_;
  // How many rows are so, by that level.
  std::array<uint32_t, kMaxLevel + 2> merges_{};
  // The first level_count_ are kept; one more is there if there is a top, whose
  // marks are written instead.
  std::vector<Level> levels_;
  size_t level_count_ = 0;
};

}  // namespace stepscope
