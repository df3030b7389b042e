// SPDX-License-Identifier: Apache-2.0
#include "trace/pyramid.h"

#include <bit>
#include <mutex>
#include <optional>
#include <utility>

#include "trace/pyramid_block_builder.h"

namespace stepscope {
namespace {

// Small enough that a dense place inside a block does not matter, large enough
// that a whole track is few blocks.
constexpr Row kBlockRows = PyramidBlockBuilder::kMostRows;

// Builders that are not at work: one for each thread, however many blocks.
class BuilderPool {
 public:
  using Make = std::function<std::unique_ptr<PyramidBlockBuilder>()>;
  explicit BuilderPool(Make make) : make_(std::move(make)) {}

  PyramidBlockBytes Build(const PyramidBlock& block, TrackLines lines,
                          std::optional<int> coarse_level) {
    std::unique_ptr<PyramidBlockBuilder> builder;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        builder = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (builder == nullptr) builder = make_();
    PyramidBlockBytes bytes =
        coarse_level ? builder->BuildCoarse(block.first(), block.last(), lines,
                                            *coarse_level)
                     : builder->Build(block.first(), block.last(), lines);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(builder));
    return bytes;
  }

 private:
  const Make make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PyramidBlockBuilder>> idle_;
};

}  // namespace

Pyramid::Pyramid(Empty, const Trace& trace, PyramidClasses classes)
    : trace_(trace),
      origin_ns_(trace.first_time_ns().value_or(0)),
      classes_(std::move(classes)) {
  PlanBlocks();
}

Pyramid::Pyramid(const Trace& trace, const PyramidOptions& options)
    : Pyramid(Empty{}, trace, options.classes) {
  (void)trace.nesting();  // once, before several threads ask
  const auto bytes =
      std::make_shared<std::vector<PyramidBlockBytes>>(blocks_.size());
  BuilderPool builders([this] {
    return std::make_unique<PyramidBlockBuilder>(trace_, origin_ns_, classes_);
  });
  std::vector<TrackLines> lines;
  for (const Track& track : trace.tracks())
    lines.push_back(TrackLinesOf(trace, track));
  const std::optional<int> coarse_level =
      options.coarse ? std::optional(CoarseLevel()) : std::nullopt;
  options.executor->ForEach(blocks_.size(), [&](size_t i) {
    if (options.cancel != nullptr && options.cancel->cancelled()) return;
    PyramidBlock& block = blocks_[i];
    (*bytes)[i] = builders.Build(block, lines[trace.track()[block.first()]],
                                 coarse_level);
    block.Attach((*bytes)[i].shape, (*bytes)[i].view());
  });
  owner_ = bytes;
  MeasureDepths();
}

void Pyramid::PlanBlocks() {
  for (const Track& track : trace_.tracks()) {
    first_block_.push_back(blocks_.size());
    for (Row row = track.first; row < track.last;) {
      const Row rows = std::min(kBlockRows, track.last - row);
      blocks_.emplace_back(row, row + rows);
      row += rows;
    }
  }
  first_block_.push_back(blocks_.size());
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

size_t Pyramid::bytes() const {
  size_t bytes = sizeof(*this) + blocks_.size() * sizeof(PyramidBlock);
  for (const PyramidBlock& block : blocks_) bytes += block.bytes().size();
  return bytes;
}

}  // namespace stepscope
