// SPDX-License-Identifier: Apache-2.0
#include "timeline/pyramid.h"

#include <atomic>
#include <bit>
#include <deque>
#include <mutex>
#include <utility>

#include "timeline/pyramid_block_builder.h"

namespace stepscope {
namespace {

// Builders that are not at work: one for each thread, however many blocks.
class BuilderPool {
 public:
  using Builder = std::unique_ptr<PyramidBlockBuilder>;
  explicit BuilderPool(std::function<Builder()> make)
      : make_(std::move(make)) {}

  Builder Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        Builder builder = std::move(idle_.back());
        idle_.pop_back();
        return builder;
      }
    }
    return make_();
  }
  void GiveBack(Builder builder) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(builder));
  }

 private:
  const std::function<Builder()> make_;
  std::mutex mutex_;
  std::vector<Builder> idle_;
};

// What the blocks below a top gave it; it is built by who builds the last.
struct TopWork {
  TopWork(size_t first_block, size_t blocks, int finest)
      : first(first_block), level(finest), marks(blocks), left(blocks) {}

  const size_t first;  // of the blocks
  const int level;
  std::vector<PyramidTopMarks> marks;
  std::atomic<size_t> left;
};

}  // namespace

Pyramid::Pyramid(Empty, const Trace& trace, PyramidClasses classes,
                 Row block_rows)
    : trace_(trace),
      origin_ns_(trace.first_time_ns().value_or(0)),
      block_rows_(block_rows),
      classes_(std::move(classes)) {
  PlanBlocks();
  PlanTops();
}

Pyramid::Pyramid(const Trace& trace, const PyramidOptions& options)
    : Pyramid(Empty{}, trace, options.classes, options.block_rows) {
  (void)trace.nesting();  // once, before several threads ask
  Build(options);
  MeasureDepths();
}

void Pyramid::Build(const PyramidOptions& options) {
  const auto bytes = std::make_shared<std::vector<PyramidBlockBytes>>(
      blocks_.size() + tops_.size());
  BuilderPool builders([this] {
    return std::make_unique<PyramidBlockBuilder>(trace_, origin_ns_, classes_);
  });
  const int coarse_level = options.coarse ? CoarseLevel() : 0;
  const auto keep = [&](size_t i, PyramidBlock& block,
                        PyramidBlockBytes&& built) {
    (*bytes)[i] = std::move(built);
    block.Attach((*bytes)[i].shape, (*bytes)[i].view());
  };
  std::vector<TrackLines> lines;
  for (const Track& track : trace_.tracks())
    lines.push_back(TrackLinesOf(trace_, track));
  std::vector<size_t> top_of(blocks_.size(), tops_.size());
  std::deque<TopWork> works;
  for (uint32_t track = 0; track < lines.size(); ++track) {
    for (const PyramidTop& top : tops(track)) {
      const size_t first = first_block_[track] + top.first;
      const size_t last = first_block_[track] + top.last;
      std::fill(&top_of[first], &top_of[last], works.size());
      const auto below = blocks(track).subspan(top.first, last - first);
      works.emplace_back(
          first, last - first,
          std::max(coarse_level, PyramidTopLevel(trace_, below)));
    }
  }
  options.executor->ForEach(blocks_.size(), [&](size_t i) {
    if (options.cancel != nullptr && options.cancel->cancelled()) return;
    BuilderPool::Builder builder = builders.Take();
    PyramidBlock& block = blocks_[i];
    PyramidBlockPlan plan = {block.first(), block.last(),
                             lines[trace_.track()[block.first()]],
                             coarse_level};
    PyramidTopMarks* above = nullptr;
    TopWork* work = nullptr;
    if (top_of[i] < tops_.size()) {
      work = &works[top_of[i]];
      above = &work->marks[i - work->first];
      plan.top_level = work->level;
    }
    keep(i, block,
         options.coarse ? builder->BuildCoarse(plan, above)
                        : builder->Build(plan, above));
    if (work != nullptr && work->left.fetch_sub(1) == 1) {
      PyramidBlock& top = tops_[top_of[i]].block;
      keep(
          blocks_.size() + top_of[i], top,
          builder->BuildTop(top.first(), top.last(), work->level, work->marks));
      work->marks = {};
    }
    builders.GiveBack(std::move(builder));
  });
  owner_ = bytes;
}

void Pyramid::PlanBlocks() {
  for (const Track& track : trace_.tracks()) {
    first_block_.push_back(blocks_.size());
    for (Row row = track.first; row < track.last;) {
      const Row rows = std::min(block_rows_, track.last - row);
      blocks_.emplace_back(row, row + rows);
      row += rows;
    }
  }
  first_block_.push_back(blocks_.size());
}

void Pyramid::PlanTops() {
  for (uint32_t track = 0; track + 1 < first_block_.size(); ++track) {
    first_top_.push_back(tops_.size());
    const std::span<const PyramidBlock> all = blocks(track);
    for (size_t first = 0; first + PyramidTop::kLeastBlocks <= all.size();) {
      const size_t last = std::min(first + PyramidTop::kBlocks, all.size());
      tops_.push_back(
          {first, last, {all[first].first(), all[last - 1].last()}});
      first = last;
    }
  }
  first_top_.push_back(tops_.size());
}

// So that a screen of the next finer one has about a million rows to read.
int Pyramid::CoarseLevel() const {
  constexpr uint64_t kScreen = 2048;
  constexpr uint64_t kMostRows = uint64_t{1} << 20;
  int64_t last = origin_ns_;
  for (const Track& track : trace_.tracks())
    if (track.first < track.last)
      last = std::max(last, trace_.start_ns()[track.last - 1]);
  const auto span = static_cast<uint64_t>(last - origin_ns_);
  const uint64_t screens = std::max<uint64_t>(trace_.size() / kMostRows, 1);
  const uint64_t bucket_ns = span / (kScreen * screens);
  return std::min(kMaxLevel, static_cast<int>(std::bit_width(bucket_ns)));
}

void Pyramid::MeasureDepths() {
  depths_.assign(trace_.tracks().size(), {0, 0});
  for (uint32_t t = 0; t < depths_.size(); ++t)
    for (const PyramidBlock& block : blocks(t))
      for (const LineKind kind : {LineKind::kNative, LineKind::kPython}) {
        uint32_t& depths = depths_[t][static_cast<size_t>(kind)];
        depths = std::max(depths, block.depths(kind));
      }
}

std::span<const PyramidBlock> Pyramid::blocks(uint32_t track) const {
  return std::span(blocks_).subspan(
      first_block_[track], first_block_[track + 1] - first_block_[track]);
}

std::span<const PyramidTop> Pyramid::tops(uint32_t track) const {
  return std::span(tops_).subspan(first_top_[track],
                                  first_top_[track + 1] - first_top_[track]);
}

size_t Pyramid::bytes() const {
  size_t bytes = sizeof(*this) + blocks_.size() * sizeof(PyramidBlock) +
                 tops_.size() * sizeof(PyramidTop);
  for (const PyramidBlock& block : blocks_) bytes += block.bytes().size();
  for (const PyramidTop& top : tops_) bytes += top.block.bytes().size();
  return bytes;
}

}  // namespace stepscope
