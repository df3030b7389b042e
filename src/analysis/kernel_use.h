// SPDX-License-Identifier: Apache-2.0
//
// How well kernels fill a device, from their arguments: torch's "est. achieved
// occupancy %", Paddle's "theoretical achieved occupancy %", "blocks per SM".
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "trace/trace.h"

namespace stepscope {

// What one kernel states; shares of 1.
struct KernelUseSample {
  std::optional<double> occupancy;
  std::optional<double> blocks_per_sm;
};

// Means weighted by duration.
class KernelUse {
 public:
  void Add(const KernelUseSample& sample, int64_t dur_ns);
  std::optional<double> occupancy() const { return occupancy_.Mean(); }
  // The share of the multiprocessors that had no block.
  std::optional<double> unfilled() const { return unfilled_.Mean(); }
  void Add(const KernelUse& other);

  // For who stores it: products with durations, and these durations.
  using Parts = std::array<double, 4>;
  Parts parts() const {
    return {occupancy_.sum, occupancy_.weight, unfilled_.sum, unfilled_.weight};
  }
  static KernelUse FromParts(const Parts& parts);

 private:
  struct Weighted {
    double sum = 0;
    double weight = 0;
    void Add(const Weighted& other) {
      sum += other.sum;
      weight += other.weight;
    }
    std::optional<double> Mean() const {
      if (weight <= 0) return std::nullopt;
      return sum / weight;
    }
  };
  Weighted occupancy_;
  Weighted unfilled_;
};

// Not thread-safe; refers to the trace. Rows are best read in order.
class KernelUseReader {
 public:
  explicit KernelUseReader(const Trace& trace);
  // Whether the trace can state anything at all.
  bool any() const { return any_; }
  KernelUseSample Read(Row row);

 private:
  void Take(std::string_view key, double value, KernelUseSample& sample) const;

  const Trace& trace_;
  RawArgReader raw_;
  bool any_ = false;
};

}  // namespace stepscope
