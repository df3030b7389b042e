// SPDX-License-Identifier: Apache-2.0
//
// Pyramid: a trace at every zoom, so that a timeline of 100 million events is
// drawn from a few thousand records. Level k has buckets of 2^k ns, counted
// from the first time of the trace. On each line (one depth of one track, of
// native or of Python's events)
// events shorter than a bucket that begin in the same bucket are one mark;
// longer ones stay themselves: at most two boxes a bucket.
//
// Rows are taken in blocks. A block keeps a level only where it is much
// shorter than the one below, so what a query reads is in proportion to what
// it writes, wherever in the trace the events are dense. Below the first
// level that is kept, the rows themselves are read. Where a block has few boxes
// of a level, those of many blocks are together in a top. A coarse pyramid has
// only the levels of a whole trace on a screen and some below: it is as right,
// and is there much sooner.
//
// Immutable, safe to read from several threads. Refers to the trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/cancel.h"
#include "base/executor.h"
#include "base/result.h"
#include "timeline/pyramid_block.h"
#include "timeline/pyramid_top.h"
#include "trace/trace.h"

namespace stepscope {

// What a viewer colours an event by: a class, 0..31, by the type of the event
// unless its name says more.
struct PyramidClasses {
  static constexpr uint8_t kByType = 255;
  std::array<uint8_t, 64> of_type{};  // types beyond are as the last
  std::vector<uint8_t> of_name;       // by string id, or empty; kByType

  uint8_t Of(uint16_t type, StringId name) const {
    if (!of_name.empty() && of_name[name.v] != kByType) return of_name[name.v];
    return of_type[std::min<size_t>(type, of_type.size() - 1)];
  }
};

// The same for loops over rows.
class PyramidClassOf {
 public:
  PyramidClassOf(const PyramidClasses& classes, const Trace& trace)
      : of_type_(classes.of_type.data()),
        of_name_(classes.of_name.empty() ? nullptr : classes.of_name.data()),
        types_(trace.type().data()),
        names_(trace.name().data()) {}

  uint8_t operator()(Row row) const {
    constexpr uint16_t kLast =
        std::tuple_size_v<decltype(PyramidClasses::of_type)> - 1;
    const uint8_t by_type = of_type_[std::min(types_[row], kLast)];
    if (of_name_ == nullptr) return by_type;
    const uint8_t by_name = of_name_[names_[row].v];
    return by_name == PyramidClasses::kByType ? by_type : by_name;
  }

 private:
  const uint8_t* const of_type_;
  const uint8_t* const of_name_;  // or null
  const uint16_t* const types_;
  const StringId* const names_;
};

struct PyramidOptions {
  Executor* executor = &Executor::Shared();
  PyramidClasses classes;
  bool coarse = false;
  // Tests of small traces take fewer.
  Row block_rows = PyramidBlock::kMostRows;
  // Where it is cancelled, what was built so far is of no use.
  const CancelToken* cancel = nullptr;
};

class Pyramid {
 public:
  // Throws std::bad_alloc where memory is refused.
  Pyramid(const Trace& trace, const PyramidOptions& options);

  // What FromBytes() reads, in pieces, in order. Every piece is a multiple of
  // 16 bytes long; together they are serialized_bytes().
  using Sink = std::function<void(std::span<const std::byte>)>;
  void AppendTo(const Sink& sink) const;
  size_t serialized_bytes() const;

  // A pyramid whose records lie in `bytes`, which AppendTo() gave; `owner`
  // keeps them. They begin at a multiple of 16. `trace` and `classes` are what
  // it was built of. Only tables are read here. Damaged bytes are an error, or
  // wrong boxes, but never a read out of bounds: checksums are the caller's.
  static Result<Pyramid> FromBytes(std::span<const std::byte> bytes,
                                   std::shared_ptr<const void> owner,
                                   const Trace& trace, PyramidClasses classes);

  const Trace& trace() const { return trace_; }
  int64_t origin_ns() const { return origin_ns_; }
  // Of a track, by row.
  std::span<const PyramidBlock> blocks(uint32_t track) const;
  // Of the first of these blocks, or of all; each of PyramidTop::kBlocks.
  std::span<const PyramidTop> tops(uint32_t track) const;
  // One more than the deepest event of a track has, by itself and of a kind.
  uint32_t depths(uint32_t track, LineKind kind = LineKind::kNative) const {
    return depths_[track][static_cast<size_t>(kind)];
  }
  TrackLines lines(uint32_t track) const {
    if (depths(track, LineKind::kPython) == 0) return TrackLines::kNative;
    return depths(track) == 0 ? TrackLines::kPython : TrackLines::kBoth;
  }
  const PyramidClasses& classes() const { return classes_; }
  PyramidClassOf class_of() const { return {classes_, trace_}; }
  uint8_t class_of(Row row) const { return class_of()(row); }
  size_t bytes() const;

 private:
  // Without any level yet.
  struct Empty {};
  Pyramid(Empty, const Trace& trace, PyramidClasses classes, Row block_rows);
  // Splits the tracks into blocks, and those into what has a top.
  void PlanBlocks();
  void PlanTops();
  void Build(const PyramidOptions& options);
  void MeasureDepths();
  // The finest that a coarse pyramid has.
  int CoarseLevel() const;

  const Trace& trace_;
  int64_t origin_ns_ = 0;
  Row block_rows_ = 0;
  PyramidClasses classes_;
  std::shared_ptr<const void> owner_;  // of what the blocks refer to
  std::vector<PyramidBlock> blocks_;
  std::vector<size_t> first_block_;  // by track, and one more
  std::vector<PyramidTop> tops_;
  std::vector<size_t> first_top_;                // as the blocks
  std::vector<std::array<uint32_t, 2>> depths_;  // by track and LineKind
};

}  // namespace stepscope
