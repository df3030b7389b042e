// SPDX-License-Identifier: Apache-2.0
#include "timeline/memory_pyramid.h"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

// A box of less is not drawn as one.
constexpr double kLeastCells = 1.5;

}  // namespace

// The cells of a screen, and the boxes on it.
class MemoryPyramid::Canvas {
 public:
  Canvas(const MemoryPyramid& pyramid, const MemoryWindow& window,
         std::span<const uint8_t> group_of)
      : pyramid_(pyramid),
        window_(window),
        group_of_(group_of),
        cell_ns_(static_cast<double>(window.end_ns - window.begin_ns) /
                 window.columns),
        cell_bytes_(static_cast<double>(window.high - window.low) /
                    window.rows),
        cells_(size_t{window.columns} * window.rows) {}

  double cell_ns() const { return cell_ns_; }

  void Add(const Box& box) {
    const double low = static_cast<double>(box.at * pyramid_.unit_);
    const double bytes = static_cast<double>(box.size * pyramid_.unit_);
    if (low + bytes <= static_cast<double>(window_.low) ||
        low >= static_cast<double>(window_.high))
      return;
    const auto dur = static_cast<double>(box.end_ns - box.begin_ns);
    if (dur >= kLeastCells * cell_ns_ && bytes >= kLeastCells * cell_bytes_) {
      picture_.rects.push_back({static_cast<double>(box.begin_ns),
                                static_cast<double>(box.end_ns), box.at,
                                box.size, box.id, GroupOf(box.owner)});
      return;
    }
    Fill(static_cast<double>(box.begin_ns - window_.begin_ns), dur, low, bytes,
         1, box.owner);
  }

  // `share`: of that rectangle that is in use.
  void Fill(double begin_ns, double dur_ns, double low, double bytes,
            double share, uint32_t owner) {
    const Part x = PartOf(begin_ns, dur_ns, cell_ns_, window_.columns);
    const Part y = PartOf(low - static_cast<double>(window_.low), bytes,
                          cell_bytes_, window_.rows);
    const auto weight = static_cast<float>(share * x.share * y.share);
    for (int64_t row = y.first; row < y.last; ++row)
      for (int64_t column = x.first; column < x.last; ++column) {
        Cell& cell = cells_[static_cast<size_t>(row) * window_.columns +
                            static_cast<size_t>(column)];
        cell.used += weight;
        if (weight <= cell.most) continue;
        cell.most = weight;
        cell.owner = owner;
      }
  }

  MemoryPicture Take() {
    for (uint32_t row = 0; row < window_.rows; ++row) TakeRow(row);
    return std::move(picture_);
  }

 private:
  struct Cell {
    float used = 0;
    float most = 0;
    uint32_t owner = 0;
  };
  struct Part {
    int64_t first = 0;
    int64_t last = 0;
    double share = 1;  // of each cell that is covered
  };

  static Part PartOf(double begin, double length, double cell, uint32_t count) {
    Part part;
    double first = std::floor((begin + length / 2) / cell);
    double last = first + 1;
    if (length >= kLeastCells * cell) {
      first = std::round(begin / cell);
      last = std::max(first + 1, std::round((begin + length) / cell));
    } else {
      part.share = std::min(1.0, length / cell);
    }
    // Some of it is seen, though perhaps not the middle.
    const auto most = static_cast<double>(count);
    first = std::clamp(first, 0.0, most - 1);
    part.first = static_cast<int64_t>(first);
    part.last = static_cast<int64_t>(std::clamp(last, first + 1, most));
    return part;
  }

  uint8_t GroupOf(uint32_t owner) const {
    return owner < group_of_.size() ? group_of_[owner] : uint8_t{0};
  }

  void TakeRow(uint32_t row) {
    // As many shades as the eye tells apart make long runs.
    constexpr float kShades = 8;
    MemoryRun run;
    for (uint32_t column = 0; column < window_.columns; ++column) {
      const Cell& cell = cells_[size_t{row} * window_.columns + column];
      const float used = std::min(1.0f, cell.used);
      const auto share = static_cast<uint8_t>(
          used == 0 ? 0 : std::ceil(used * kShades) / kShades * 255);
      const uint8_t group = used == 0 ? uint8_t{0} : GroupOf(cell.owner);
      if (share == run.share && group == run.group && run.share != 0) {
        run.last = static_cast<uint16_t>(column);
        continue;
      }
      if (run.share != 0) picture_.runs.push_back(run);
      run = {static_cast<uint16_t>(column), static_cast<uint16_t>(column),
             static_cast<uint16_t>(row), share, group};
    }
    if (run.share != 0) picture_.runs.push_back(run);
  }

  const MemoryPyramid& pyramid_;
  const MemoryWindow window_;
  const std::span<const uint8_t> group_of_;
  const double cell_ns_;
  const double cell_bytes_;
  std::vector<Cell> cells_;
  MemoryPicture picture_;
};

MemoryPyramid::MemoryPyramid(size_t boxes, const BoxAt& at, int64_t begin_ns,
                             int64_t end_ns, uint64_t bytes)
    : begin_ns_(begin_ns) {
  while (bytes / unit_ >= uint64_t{1} << 32) unit_ *= 2;
  bin_bytes_ =
      std::max(1.0, static_cast<double>(std::max<uint64_t>(bytes, 1)) / kBins);
  const int64_t span = std::max<int64_t>(end_ns - begin_ns, 1);
  int64_t bucket = (span >> kFinestLog) + 1;
  for (int64_t& length : bucket_ns_) {
    length = bucket;
    bucket *= 4;
  }
  std::array<size_t, kLevels + 1> counts{};
  for (size_t i = 0; i < boxes; ++i) {
    const MemoryBox box = at(i);
    ++counts[static_cast<size_t>(ClassOf(box.end_ns - box.begin_ns))];
  }
  for (size_t c = 0; c < counts.size(); ++c) boxes_[c].reserve(counts[c]);
  for (size_t i = 0; i < boxes; ++i) {
    const MemoryBox box = at(i);
    boxes_[static_cast<size_t>(ClassOf(box.end_ns - box.begin_ns))].push_back(
        {box.begin_ns, box.end_ns, static_cast<uint32_t>(box.at / unit_),
         static_cast<uint32_t>(std::max<uint64_t>(box.bytes / unit_, 1)),
         box.owner, static_cast<uint32_t>(i)});
  }
  for (int level = 0; level < kLevels; ++level) BuildLevel(level);
  const std::vector<Box>& longest = boxes_[kLevels];
  for (size_t i = 0; i < longest.size(); ++i) {
    if (i % kPassed == 0) latest_ns_.push_back(longest[i].end_ns);
    latest_ns_.back() = std::max(latest_ns_.back(), longest[i].end_ns);
  }
}

int MemoryPyramid::ClassOf(int64_t dur_ns) const {
  for (int level = 0; level < kLevels; ++level)
    if (dur_ns < bucket_ns_[static_cast<size_t>(level)]) return level;
  return kLevels;
}

MemoryPyramid::Cell MemoryPyramid::CellOf(const Box& box, int level) const {
  const int64_t middle = box.begin_ns + (box.end_ns - box.begin_ns) / 2;
  const double low = static_cast<double>(box.at * unit_) / bin_bytes_;
  const double size = static_cast<double>(box.size * unit_) / bin_bytes_;
  Cell cell;
  cell.bucket = static_cast<uint32_t>(std::max<int64_t>(0, middle - begin_ns_) /
                                      bucket_ns_[static_cast<size_t>(level)]);
  cell.bin = static_cast<uint16_t>(std::min(low, double{kBins - 1}));
  cell.bins = static_cast<uint16_t>(std::clamp(
      std::ceil(low + size) - std::floor(low), 1.0, double{kBins} - cell.bin));
  cell.owner = box.owner;
  cell.busy_ns =
      static_cast<float>(static_cast<double>(box.end_ns - box.begin_ns) *
                         std::min(1.0, size / cell.bins));
  return cell;
}

// Those of one place become one; `cells` is empty afterwards.
void MemoryPyramid::Join(std::vector<Cell>& cells, std::vector<Cell>& into) {
  const auto place = [](const Cell& cell) {
    return uint64_t{cell.bucket} << 32 | uint64_t{cell.bin} << 16 | cell.bins;
  };
  std::sort(cells.begin(), cells.end(), [&](const Cell& a, const Cell& b) {
    if (place(a) != place(b)) return place(a) < place(b);
    if (a.busy_ns != b.busy_ns) return a.busy_ns > b.busy_ns;
    return a.owner < b.owner;
  });
  const size_t first = into.size();
  for (const Cell& cell : cells) {
    if (into.size() > first && place(into.back()) == place(cell))
      into.back().busy_ns += cell.busy_ns;  // the owner is that of the largest
    else
      into.push_back(cell);
  }
  cells.clear();
}

void MemoryPyramid::BuildLevel(int level) {
  const auto at = static_cast<size_t>(level);
  std::vector<Cell>& into = cells_[at];
  static const std::vector<Cell> kNoCells;
  const std::vector<Cell>& finer = level > 0 ? cells_[at - 1] : kNoCells;
  const std::vector<Box>& boxes = boxes_[at];
  std::vector<Cell> same;
  size_t next = 0;
  size_t box = 0;
  // Boxes come by begins and are put where their middles are: up to half a
  // bucket later.
  std::vector<Cell> later;
  while (next < finer.size() || box < boxes.size() || !later.empty()) {
    uint32_t bucket = UINT32_MAX;
    if (next < finer.size()) bucket = finer[next].bucket / 4;
    if (box < boxes.size())
      bucket = std::min(
          bucket, static_cast<uint32_t>(
                      std::max<int64_t>(0, boxes[box].begin_ns - begin_ns_) /
                      bucket_ns_[at]));
    for (const Cell& cell : later) bucket = std::min(bucket, cell.bucket);
    std::erase_if(later, [&](const Cell& cell) {
      if (cell.bucket != bucket) return false;
      same.push_back(cell);
      return true;
    });
    for (; next < finer.size() && finer[next].bucket / 4 == bucket; ++next) {
      same.push_back(finer[next]);
      same.back().bucket = bucket;
    }
    const int64_t end_ns = begin_ns_ + (int64_t{bucket} + 1) * bucket_ns_[at];
    for (; box < boxes.size() && boxes[box].begin_ns < end_ns; ++box) {
      const Cell cell = CellOf(boxes[box], level);
      (cell.bucket == bucket ? same : later).push_back(cell);
    }
    Join(same, into);
  }
}

void MemoryPyramid::DrawCells(int level, const MemoryWindow& window,
                              Canvas& canvas) const {
  const auto at = static_cast<size_t>(level);
  const std::vector<Cell>& cells = cells_[at];
  const int64_t bucket_ns = bucket_ns_[at];
  const int64_t first =
      std::max<int64_t>(0, window.begin_ns - begin_ns_) / bucket_ns;
  const auto from = std::partition_point(
      cells.begin(), cells.end(),
      [&](const Cell& cell) { return int64_t{cell.bucket} < first; });
  for (auto cell = from; cell != cells.end(); ++cell) {
    const int64_t begin = begin_ns_ + int64_t{cell->bucket} * bucket_ns;
    if (begin >= window.end_ns) break;
    const double low = cell->bin * bin_bytes_;
    const double bytes = cell->bins * bin_bytes_;
    if (low >= static_cast<double>(window.high) ||
        low + bytes <= static_cast<double>(window.low))
      continue;
    canvas.Fill(
        static_cast<double>(begin - window.begin_ns),
        static_cast<double>(bucket_ns), low, bytes,
        static_cast<double>(cell->busy_ns) / static_cast<double>(bucket_ns),
        cell->owner);
  }
}

void MemoryPyramid::DrawBoxes(int length, const MemoryWindow& window,
                              Canvas& canvas) const {
  const std::vector<Box>& boxes = boxes_[static_cast<size_t>(length)];
  const bool longest = length == kLevels;
  size_t i = 0;
  if (!longest) {
    const int64_t earliest =
        window.begin_ns - bucket_ns_[static_cast<size_t>(length)];
    i = static_cast<size_t>(std::partition_point(boxes.begin(), boxes.end(),
                                                 [&](const Box& box) {
                                                   return box.begin_ns <
                                                          earliest;
                                                 }) -
                            boxes.begin());
  }
  for (; i < boxes.size(); ++i) {
    if (longest && i % kPassed == 0 &&
        latest_ns_[i / kPassed] <= window.begin_ns) {
      i += kPassed - 1;
      continue;
    }
    const Box& box = boxes[i];
    if (box.begin_ns >= window.end_ns) break;
    if (box.end_ns > window.begin_ns) canvas.Add(box);
  }
}

MemoryPicture MemoryPyramid::Draw(const MemoryWindow& window,
                                  std::span<const uint8_t> group_of) const {
  if (window.columns == 0 || window.rows == 0 || window.high <= window.low ||
      window.end_ns <= window.begin_ns)
    return {};
  Canvas canvas(*this, window, group_of);
  int level = kLevels - 1;
  while (level >= 0 &&
         static_cast<double>(bucket_ns_[static_cast<size_t>(level)]) >
             canvas.cell_ns())
    --level;
  if (level >= 0) DrawCells(level, window, canvas);
  for (int length = level + 1; length <= kLevels; ++length)
    DrawBoxes(length, window, canvas);
  return canvas.Take();
}

size_t MemoryPyramid::bytes() const {
  size_t sum = latest_ns_.size() * sizeof(int64_t);
  for (const auto& boxes : boxes_) sum += boxes.size() * sizeof(Box);
  for (const auto& cells : cells_) sum += cells.size() * sizeof(Cell);
  return sum;
}

}  // namespace stepscope
