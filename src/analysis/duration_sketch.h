// SPDX-License-Identifier: Apache-2.0
//
// DurationSketch: how often durations occurred, small enough to be kept for
// every name and to be added to that of other ranks. Exact as long as there
// are few different durations; beyond that each is known to 1 in 256 (0.4 %).
// Adding is associative and commutative to the bit: whatever the order in
// which ranks come together, the sketch is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/percentiles.h"

namespace stepscope {

class DurationSketch {
 public:
  // As many different durations are kept as they are.
  static constexpr size_t kExact = 128;
  // Of what a percentile says, where there are more.
  static constexpr double kRelativeError = 1.0 / 256;
  // A duration, or the number of its bin; how often. Ascending.
  using Entry = std::pair<uint64_t, uint64_t>;

  // Of durations, of which none is negative.
  static DurationSketch Of(std::span<const int64_t> values);
  static DurationSketch Of(std::span<const uint32_t> values);
  static DurationSketch OfEqual(int64_t value, uint64_t count);
  // As it was stored; nothing if that is no sketch.
  static bool FromParts(bool exact, std::vector<Entry> entries,
                        DurationSketch& sketch);

  void Add(const DurationSketch& other);

  uint64_t count() const;
  bool exact() const { return exact_; }
  std::span<const Entry> entries() const { return entries_; }
  // Percentiles by nearest rank, of a bin its middle; the histogram is exact.
  Spread ToSpread() const;

  friend bool operator==(const DurationSketch&,
                         const DurationSketch&) = default;

 private:
  template <typename T>
  static DurationSketch OfValues(std::span<const T> values);
  void Blur();

  bool exact_ = true;
  std::vector<Entry> entries_;
};

}  // namespace stepscope
