// SPDX-License-Identifier: Apache-2.0
#include "timeline/pyramid_block_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace stepscope {
namespace {

// Memory that the boxes of a block may take, of each of its rows. What is not
// kept is read as rows, or folded out of a finer level.
constexpr double kBytesPerRow = 8.1;
// A level is kept if the one below, or the rows, are so many times its boxes:
// the first pair of factors (of the finest level; of the others) that fits.
constexpr double kShrink[][2] = {
    {2.0, 1.6}, {2.0, 2.0}, {2.5, 2.0}, {3.2, 2.5}, {4.5, 3.2}};
// The names of boxes are kept where the rows of two are so far apart.
constexpr uint32_t kFarRows = 12;
// Levels of fewer boxes than this save nothing.
constexpr uint32_t kFewBoxes = 32;

// The first level at which a duration is shorter than a bucket.
int ShortFrom(int64_t dur_ns) {
  return 64 - std::countl_zero(static_cast<uint64_t>(dur_ns));
}

// The first level at which two events are one mark: both are shorter than a
// bucket, and begin in the same.
uint8_t MergeFrom(int64_t start_a, int64_t dur_a, int64_t start_b,
                  int64_t dur_b) {
  const int level = ShortFrom((start_a ^ start_b) | dur_a | dur_b);
  return static_cast<uint8_t>(std::min(level, kMaxLevel + 1));
}

}  // namespace

PyramidBlockBuilder::PyramidBlockBuilder(const Trace& trace, int64_t origin_ns,
                                         const PyramidClasses& classes)
    : trace_(trace),
      start_ns_(trace.start_ns()),
      dur_ns_(trace.dur_ns()),
      name_(trace.name()),
      type_(trace.type()),
      depth_(trace.nesting().depth.view()),
      origin_ns_(origin_ns),
      classes_(classes) {}

void PyramidBlockBuilder::Begin(const PyramidBlockPlan& plan,
                                PyramidTopMarks* above) {
  first_ = plan.first;
  last_ = plan.last;
  least_level_ = plan.least_level;
  top_level_ = plan.top_level;
  above_ = above;
  FindLines(plan.lines);
  if (above_ == nullptr) return;
  above_->native_depths = native_depths_;
  above_->python_depths = python_depths_;
}

PyramidBlockBytes PyramidBlockBuilder::Build(const PyramidBlockPlan& plan,
                                             PyramidTopMarks* above) {
  Begin(plan, above);
  SortIntoLines();
  FindMerges();
  ChooseLevels();
  if (level_count_ > 0 || above_ != nullptr)
    for (uint32_t line = 0; line < line_end_.size(); ++line) WriteLine(line);
  return Joined();
}

// Rows are read once, in their order: most of them only add to a mark.
PyramidBlockBytes PyramidBlockBuilder::BuildCoarse(const PyramidBlockPlan& plan,
                                                   PyramidTopMarks* above) {
  Begin(plan, above);
  CollectMarks();
  ChooseLevels();
  if (level_count_ > 0 || above_ != nullptr)
    for (uint32_t line = 0; line < native_depths_ + python_depths_; ++line)
      WriteMarks(marks_[line]);
  return Joined();
}

PyramidBlockBytes PyramidBlockBuilder::BuildTop(
    Row first, Row last, int level, std::span<const PyramidTopMarks> blocks) {
  first_ = first;
  last_ = last;
  least_level_ = level;
  top_level_ = kMaxLevel + 1;
  above_ = nullptr;
  CollectTopMarks(blocks);
  for (uint32_t line = 0; line < native_depths_ + python_depths_; ++line)
    WriteMarks(marks_[line]);
  return Joined();
}

void PyramidBlockBuilder::CollectTopMarks(
    std::span<const PyramidTopMarks> blocks) {
  native_depths_ = python_depths_ = 0;
  for (const PyramidTopMarks& block : blocks) {
    native_depths_ = std::max(native_depths_, block.native_depths);
    python_depths_ = std::max(python_depths_, block.python_depths);
  }
  const size_t lines = size_t{native_depths_} + python_depths_;
  if (marks_.size() < lines) marks_.resize(lines);
  for (size_t line = 0; line < lines; ++line) marks_[line].clear();
  merges_.fill(0);
  uint32_t count = 0;
  for (const PyramidTopMarks& block : blocks) {
    count += static_cast<uint32_t>(block.marks.size());
    for (uint32_t i = 0; i < block.native_depths; ++i)
      AddTopMarks(i, block.line(i));
    for (uint32_t i = 0; i < block.python_depths; ++i)
      AddTopMarks(native_depths_ + i, block.line(block.native_depths + i));
  }
  ChooseTopLevels(count);
}

// The first of a block may be one with the last of a block before it.
void PyramidBlockBuilder::AddTopMarks(uint32_t line,
                                      std::span<const PyramidMark> marks) {
  std::vector<PyramidMark>& to = marks_[line];
  for (size_t i = 0; i < marks.size(); ++i) {
    PyramidMark mark = marks[i];
    if (i == 0 && !to.empty()) {
      mark.merges_from = MergeFrom(to.back().start, to.back().longest_ns,
                                   mark.start, mark.longest_ns);
    }
    mark.merges_from =
        std::max(mark.merges_from, static_cast<uint32_t>(least_level_));
    ++merges_[mark.merges_from];
    to.push_back(mark);
  }
}

void PyramidBlockBuilder::CollectMarks() {
  struct Before {
    int64_t start = 0;
    int64_t dur = 0;
    int64_t bucket = -1;  // of its last row; -1: that was long
  };
  const size_t lines = size_t{native_depths_} + python_depths_;
  std::vector<Before> before(lines);
  if (marks_.size() < lines) marks_.resize(lines);
  for (size_t line = 0; line < lines; ++line) marks_[line].clear();
  merges_.fill(0);
  const int k = least_level_;
  uint32_t count = 0;
  for (Row row = first_; row < last_; ++row) {
    const uint32_t line = line_of_[row - first_];
    Before& there = before[line];
    std::vector<PyramidMark>& marks = marks_[line];
    const int64_t start = start_ns_[row] - origin_ns_;
    const int64_t dur = dur_ns_[row];
    const StringId name = name_[row];
    const uint8_t event_class = classes_.Of(type_[row], name);
    const int64_t bucket = dur >> k == 0 ? start >> k : -1;
    if (bucket >= 0 && bucket == there.bucket) {
      marks.back().AddEvent(start, dur, row, name.v, event_class);
    } else {
      const uint8_t from = marks.empty()
                               ? kMaxLevel + 1
                               : MergeFrom(there.start, there.dur, start, dur);
      marks.emplace_back().Set(start, dur, row, name.v, event_class, from);
      ++merges_[from];
      ++count;
    }
    there = {start, dur, bucket};
  }
  merges_[static_cast<size_t>(k)] = last_ - first_ - count;
}

void PyramidBlockBuilder::WriteMarks(std::span<const PyramidMark> marks) {
  BeginLine();
  Level& finest = levels_[0];
  for (const PyramidMark& mark : marks) {
    if (static_cast<int>(mark.merges_from) <= finest.k) {
      finest.open.Add(mark);
      continue;
    }
    Flush(0);
    finest.open = mark;
  }
  EndLine();
}

// Native lines, then those of Python.
void PyramidBlockBuilder::FindLines(TrackLines lines) {
  const auto depth = depth_.subspan(first_, last_ - first_);
  line_of_.assign(depth.begin(), depth.end());
  if (lines != TrackLines::kBoth) {
    const uint32_t depths = *std::max_element(depth.begin(), depth.end()) + 1;
    native_depths_ = lines == TrackLines::kNative ? depths : 0;
    python_depths_ = lines == TrackLines::kPython ? depths : 0;
    return;
  }
  native_depths_ = python_depths_ = 0;
  constexpr uint32_t kPythonBit = 1u << 31;
  LineDepths places(trace_, first_);
  for (Row row = first_; row < last_; ++row) {
    const LinePlace place = places.Next(row);
    const bool python = place.kind == LineKind::kPython;
    uint32_t& depths = python ? python_depths_ : native_depths_;
    depths = std::max(depths, place.depth + 1);
    line_of_[row - first_] = place.depth | (python ? kPythonBit : 0);
  }
  for (uint32_t& line : line_of_)
    if (line & kPythonBit) line = (line ^ kPythonBit) + native_depths_;
}

void PyramidBlockBuilder::SortIntoLines() {
  line_end_.assign(size_t{native_depths_} + python_depths_, 0);
  for (const uint32_t line : line_of_) ++line_end_[line];
  uint32_t at = 0;
  for (uint32_t& end : line_end_) {
    const uint32_t count = end;
    end = at;  // its begin, until its rows are put there
    at += count;
  }
  order_.resize(line_of_.size());
  for (uint32_t i = 0; i < line_of_.size(); ++i)
    order_[line_end_[line_of_[i]]++] = static_cast<uint16_t>(i);
}

void PyramidBlockBuilder::FindMerges() {
  merges_.fill(0);
  merges_from_.resize(order_.size());
  const int64_t* const start = start_ns_.data() + first_;
  const int64_t* const dur = dur_ns_.data() + first_;
  uint32_t i = 0;
  for (const uint32_t end : line_end_) {
    if (i == end) continue;
    merges_from_[i] = kMaxLevel + 1;  // the first of a line
    ++merges_[kMaxLevel + 1];
    int64_t start_before = start[order_[i]] - origin_ns_;
    int64_t dur_before = dur[order_[i]];
    for (++i; i < end; ++i) {
      const int64_t start_here = start[order_[i]] - origin_ns_;
      const int64_t dur_here = dur[order_[i]];
      const uint8_t from =
          MergeFrom(start_before, dur_before, start_here, dur_here);
      merges_from_[i] = from;
      ++merges_[from];
      start_before = start_here;
      dur_before = dur_here;
    }
  }
}

void PyramidBlockBuilder::ChooseLevels() {
  const double most = kBytesPerRow * (last_ - first_);
  for (const auto& [first, next] : kShrink)
    if (static_cast<double>(TryLevels(first, next)) <= most) break;
  if (above_ == nullptr) return;
  if (levels_.size() == level_count_) levels_.emplace_back();
  levels_[level_count_].k = top_level_;
}

// So that the number of a tile fits into 32 bits.
int PyramidBlockBuilder::LeastLevel() const {
  const int64_t last_start = start_ns_[last_ - 1] - origin_ns_;
  return std::max(least_level_, ShortFrom(last_start) - (32 + kTileBits));
}

PyramidBlockBuilder::Level& PyramidBlockBuilder::AddLevel(int k) {
  if (levels_.size() == level_count_) levels_.emplace_back();
  Level& level = levels_[level_count_++];
  level.k = k;
  level.has_names = level.wide = false;
  level.boxes.clear();
  level.names.clear();
  level.extras.clear();
  level.tiles.clear();
  level.sections.clear();
  return level;
}

size_t PyramidBlockBuilder::TryLevels(double first_shrink, double next_shrink) {
  const int min_level = LeastLevel();
  uint32_t below = last_ - first_;
  uint32_t boxes = below;
  size_t all = 0;
  level_count_ = 0;
  const int end = std::min(top_level_, kMaxLevel + 1);
  for (int k = 0; k < end && below > kFewBoxes; ++k) {
    boxes -= merges_[static_cast<size_t>(k)];
    const double shrink = level_count_ == 0 ? first_shrink : next_shrink;
    if (k < min_level || boxes * shrink > below) continue;
    Level& level = AddLevel(k);
    level.has_names = boxes <= (last_ - first_) / kFarRows;
    below = boxes;
    all += boxes * sizeof(PyramidBox);
    if (level.has_names) all += boxes * sizeof(uint32_t);
  }
  return all;
}

// The first is there in any case: no block has it.
void PyramidBlockBuilder::ChooseTopLevels(uint32_t marks) {
  const int first = LeastLevel();
  uint32_t boxes = marks;
  uint32_t below = 0;
  level_count_ = 0;
  for (int k = least_level_; k <= kMaxLevel; ++k) {
    boxes -= merges_[static_cast<size_t>(k)];
    if (k < first || (k > first && boxes * kShrink[0][1] > below)) continue;
    AddLevel(k).wide = true;
    below = boxes;
    if (below <= kFewBoxes) break;
  }
}

void PyramidBlockBuilder::BeginLine() {
  for (size_t i = 0; i < level_count_; ++i) {
    Level& level = levels_[i];
    level.sections.push_back({static_cast<uint32_t>(level.boxes.size()),
                              static_cast<uint32_t>(level.tiles.size())});
  }
}

void PyramidBlockBuilder::EndLine() {
  for (size_t i = 0; i < level_count_; ++i) Flush(i);
  if (above_ == nullptr) return;
  Flush(level_count_);
  above_->line_end.push_back(static_cast<uint32_t>(above_->marks.size()));
}

void PyramidBlockBuilder::WriteLine(uint32_t line) {
  BeginLine();
  Level& finest = levels_[0];
  const uint32_t end = line_end_[line];
  for (uint32_t i = line == 0 ? 0 : line_end_[line - 1]; i < end; ++i) {
    const Row row = first_ + order_[i];
    const int64_t start = start_ns_[row] - origin_ns_;
    const int64_t dur = dur_ns_[row];
    const StringId name = name_[row];
    const uint8_t event_class = classes_.Of(type_[row], name);
    if (merges_from_[i] <= finest.k) {
      finest.open.AddEvent(start, dur, row, name.v, event_class);
      continue;
    }
    Flush(0);
    finest.open.Set(start, dur, row, name.v, event_class, merges_from_[i]);
  }
  EndLine();
}

[[gnu::always_inline]] inline PyramidBox PyramidBlockBuilder::BoxOf(
    Level& level, const PyramidMark& mark, uint64_t x, uint64_t w) {
  const size_t heaviest = mark.Heaviest();
  const uint32_t name = mark.name[heaviest];
  const uint64_t event_class = mark.name_class[heaviest] & 31u;
  const uint8_t share = ShareCode(mark.name_weight[heaviest], mark.weight);
  const auto extent = static_cast<uint64_t>(mark.end - mark.start);
  uint64_t row = mark.row - first_;
  uint64_t count = mark.count;
  if (level.wide) {
    level.extras.push_back({mark.row, name, mark.count});
    row = count = 0;
  }
  if (level.has_names) level.names.push_back(name);
  const PyramidBox event = PyramidBox::Event(x, w, row, event_class);
  // Where no name has half of the time, that of the longest will do. The name
  // of one event is its own.
  if (!level.wide &&
      (mark.count > PyramidBox::kMostCount ||
       (!level.has_names && (share > 0) & (name_[mark.row].v != name)))) {
    row = level.extras.size();
    count = 0;
    level.extras.push_back({mark.row, name, mark.count});
  }
  const PyramidBox several = PyramidBox::Mark(
      x, w, row, event_class, share, FillOf(mark.busy, extent) / 2u, count);
  return mark.count > 1 ? several : event;
}

[[gnu::always_inline]] inline void PyramidBlockBuilder::Write(
    Level& level, const PyramidMark& mark) {
  const int k = level.k;
  const int64_t tile = mark.start >> (k + kTileBits);
  const int64_t tile_start = tile << (k + kTileBits);
  // Units are 2^(k - 6) ns; times within a tile or two never overflow.
  const auto units = [k](uint64_t ns, uint64_t round) {
    return k >= kUnitBits
               ? (ns + (round << (k - kUnitBits)) - round) >> (k - kUnitBits)
               : ns << (kUnitBits - k);
  };
  const auto from = static_cast<uint64_t>(mark.start - tile_start);
  const uint64_t extent = static_cast<uint64_t>(mark.end - mark.start);
  const uint64_t tile_ns = uint64_t{1} << (k + kTileBits);
  const uint64_t x = units(from, 0);
  const uint64_t x1 = extent >= tile_ns ? x + 65535 : units(from + extent, 1);

  const uint64_t w = std::clamp<uint64_t>(x1 - x, 1, 65535);

  const auto index =
      static_cast<uint32_t>(level.boxes.size() - level.sections.back().box);
  if (level.tiles.size() == level.sections.back().tile ||
      level.tiles.back().index != static_cast<uint32_t>(tile)) {
    level.tiles.push_back({static_cast<uint32_t>(tile), index});
  }
  level.boxes.push_back(BoxOf(level, mark, x, w));
}

// Writes the mark of a level that can grow no more, and adds it to the next.
void PyramidBlockBuilder::Flush(size_t index) {
  Level& level = levels_[index];
  if (level.open.count == 0) return;
  const size_t top = above_ == nullptr ? level_count_ - 1 : level_count_;
  if (index == level_count_)
    above_->marks.push_back(level.open);
  else
    Write(level, level.open);
  if (index < top) {
    Level& next = levels_[index + 1];
    if (static_cast<int>(level.open.merges_from) <= next.k) {
      next.open.Add(level.open);
    } else {
      Flush(index + 1);
      next.open = level.open;
    }
  }
  level.open.count = 0;
}

PyramidBlockBytes PyramidBlockBuilder::Joined() const {
  const auto levels = std::span(levels_).first(level_count_);
  PyramidBlockBytes block;
  PyramidBlock::Shape& shape = block.shape;
  shape.native_depths = native_depths_;
  shape.python_depths = python_depths_;
  shape.levels = static_cast<uint32_t>(levels.size());
  for (const Level& level : levels) {
    shape.boxes += static_cast<uint32_t>(level.boxes.size());
    shape.tiles += static_cast<uint32_t>(level.tiles.size());
    shape.names += static_cast<uint32_t>(level.names.size());
    shape.extras += static_cast<uint32_t>(level.extras.size());
  }
  block.bytes = std::make_unique_for_overwrite<std::byte[]>(shape.bytes());
  std::byte* to = block.bytes.get();
  const auto put = [&to]<typename T>(const std::vector<T>& values) {
    const size_t bytes = values.size() * sizeof(T);
    if (bytes > 0) std::memcpy(to, values.data(), bytes);
    to += bytes;
  };
  for (const Level& level : levels) put(level.boxes);
  std::vector<PyramidBlock::Section> sections;
  std::vector<PyramidBlock::Level> kept;
  PyramidBlock::Section begin;
  uint32_t name = 0;
  uint32_t extra = 0;
  for (const Level& level : levels) {
    for (const PyramidBlock::Section& section : level.sections)
      sections.push_back({begin.box + section.box, begin.tile + section.tile});
    begin.box += static_cast<uint32_t>(level.boxes.size());
    begin.tile += static_cast<uint32_t>(level.tiles.size());
    const uint32_t names = level.wide        ? PyramidBlock::kWide
                           : level.has_names ? name
                                             : PyramidBlock::kNoNames;
    kept.push_back({static_cast<uint32_t>(level.k), extra, names});
    name += static_cast<uint32_t>(level.names.size());
    extra += static_cast<uint32_t>(level.extras.size());
  }
  if (!levels.empty()) sections.push_back(begin);
  put(sections);
  for (const Level& level : levels) put(level.tiles);
  put(kept);
  for (const Level& level : levels) put(level.names);
  for (const Level& level : levels) put(level.extras);
  std::fill(to, block.bytes.get() + shape.bytes(), std::byte{0});
  return block;
}

}  // namespace stepscope
