// SPDX-License-Identifier: Apache-2.0
//
// BatchFit: how memory grows with the batch, from recordings of several batch
// sizes: a line for each category of what lies in memory at the peak.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/memory_category.h"

namespace stepscope {

// What is there at the peak of one recording.
struct BatchPoint {
  double batch = 1;        // times that of the recording in question
  int64_t peak_bytes = 0;  // all of it
  std::array<int64_t, kMemoryCategories> bytes{};
};

// Of a place, "Place(gpu:0)", of the process that holds most there; where the
// recording has none of that name, of the one that holds most of all devices.
// None: it has no allocations with addresses.
std::optional<BatchPoint> PointOfBatch(const EventTree& tree,
                                       std::string_view place, double batch);

// Whether a category is of the data of a step, and may depend on the batch.
constexpr bool MayGrowWithBatch(MemoryCategory category) {
  return category == MemoryCategory::kActivations ||
         category == MemoryCategory::kTemporary ||
         category == MemoryCategory::kOther;
}

class BatchFit {
 public:
  // REQUIRES: two different batches at least; the first is that of the
  // recording in question, 1.
  explicit BatchFit(std::vector<BatchPoint> points);

  const std::vector<BatchPoint>& points() const { return points_; }
  // At the peak: bytes whatever the batch, and per batch. Both are of least
  // squares.
  double fixed_bytes(MemoryCategory category) const;
  double bytes_per_batch(MemoryCategory category) const;
  // By how much allocations of a category grow.
  double FactorOf(MemoryCategory category, double batch) const;
  // The largest miss of a recording's peak, predicted from the others, as a
  // share of it; none: two sizes fit any line.
  const std::optional<double>& error() const { return error_; }

 private:
  struct Line {
    double fixed = 0;
    double slope = 0;
    double At(double batch) const;
  };
  static Line FitOf(const std::vector<BatchPoint>& points, size_t category);
  void FindError();

  std::vector<BatchPoint> points_;
  std::array<Line, kMemoryCategories> lines_;
  std::optional<double> error_;
};

}  // namespace stepscope
