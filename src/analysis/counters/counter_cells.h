// SPDX-License-Identifier: Apache-2.0
//
// What a device's counters measured, as amounts in cells of time: busy
// nanoseconds of its multiprocessors and of their tensor cores, bytes of its
// memory. Cells do not overlap; where samples were lost there are none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/interval.h"
#include "trace/trace.h"

namespace stepscope {

// What of trace/device_counter.h is shared out over work. The first two are the
// kernels' alone, the others those of all work.
enum class CounterMeasure : uint8_t {
  kSms,
  kTensorCores,
  kDramRead,
  kDramWritten
};
inline constexpr size_t kMeasures = 4;
inline constexpr bool IsOfKernels(size_t measure) {
  return measure <= static_cast<size_t>(CounterMeasure::kTensorCores);
}

struct CounterCell {
  Interval time;
  std::array<double, kMeasures> amounts;  // not-a-number: not measured
};

// Counters of a device that are sampled at the same times.
struct CounterCells {
  uint32_t process = 0;
  int64_t device = 0;
  std::vector<CounterCell> cells;  // by time
};

// Whether there are any.
bool HasCounters(const Trace& trace);
// Where two tracks are of one counter, the first counts.
std::vector<CounterCells> FindCounterCells(const Trace& trace);

}  // namespace stepscope
