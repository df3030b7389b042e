// SPDX-License-Identifier: Apache-2.0
//
// FLOPs table: floating-point operations by operator, where shapes were
// recorded, and how fast they were done; the same of a step, and beside the
// peak of the device where it is stated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/interval.h"
#include "analysis/steps.h"
#include "analysis/tables/stated_peaks.h"

namespace stepscope {

struct MeasuredWork;
struct StepRow;

struct FlopsRow {
  std::string_view name;
  StringId id;
  uint64_t calls = 0;          // not inside a counted call of any operator
  uint64_t counted_calls = 0;  // of these, with shapes known well enough
  int64_t flops = 0;           // of the counted calls
  // Of the counted calls: device work that they launched, with the operations
  // of these calls, and calls that launched none.
  int64_t gpu_ns = 0;
  int64_t gpu_flops = 0;
  int64_t host_ns = 0;
  // Estimated, of the counted calls: operands read and results written once.
  int64_t moved_bytes = 0;
  bool bytes_known = true;                 // of all of these
  const MeasuredWork* measured = nullptr;  // of Summary::measured
  std::optional<double> peak_ratio = {};   // of the peak of a device
  std::optional<double> roof_ratio = {};   // of what its memory allows

  // Time of a device and of the host is never added up.
  bool on_device() const { return gpu_ns > 0; }
  int64_t time_ns() const { return on_device() ? gpu_ns : host_ns; }
  double tflops_per_s() const {
    const auto done = static_cast<double>(on_device() ? gpu_flops : flops);
    const int64_t ns = time_ns();
    return ns > 0 ? done / static_cast<double>(ns) / 1e3 : 0;
  }
  std::optional<int64_t> estimated_bytes() const {
    if (!bytes_known || moved_bytes <= 0) return std::nullopt;
    return moved_bytes;
  }
  // Operations for each byte.
  std::optional<double> intensity() const {
    if (!estimated_bytes()) return std::nullopt;
    return static_cast<double>(flops) / static_cast<double>(moved_bytes);
  }
  // The same of what counters saw; empty where they do not tell.
  std::optional<double> measured_intensity() const;
};

// Of the steps together; those of the warm-up do not count. Without steps, of
// the recorded window.
struct StepFlops {
  uint64_t steps = 0;
  int64_t flops = 0;  // of outermost operators that began in them
  int64_t time_ns = 0;
  uint64_t devices = 0;  // that had work
  // Device work inside the counted operators, and all: of the whole trace.
  int64_t counted_gpu_ns = 0;
  int64_t all_gpu_ns = 0;
  StatedPeaks peaks = {};
  std::optional<double> mfu = {};

  // Of one device; of the host where none was recorded.
  double tflops_per_s() const;
  std::optional<double> counted_ratio() const;
};

// conv2d calls convolution: the operations of both are those of the outer
// call, so that rows add up.
struct FlopsTable {
  std::vector<FlopsRow> rows;  // by FLOPs
  int64_t total_flops = 0;     // of the rows together
  StepFlops step;
  std::string note;  // why a share of a peak is left out; empty: none is
};

// A call of an operator that is not inside another one.
struct CountedCall {
  Row row = kNoRow;
  int64_t flops = 0;
};

// `calls`: where they are wanted, by row.
FlopsTable ComputeFlops(const EventTree& tree, const StepTable& steps,
                        std::vector<CountedCall>* calls = nullptr);

// The steps and the time of a job, from the list of its steps; `total_ns`:
// what counts where none is settled.
void TimeFlops(const std::vector<StepRow>& steps, int64_t total_ns,
               StepFlops& step);
// Devices with kernels or copies.
uint64_t CountDevices(const EventTree& tree);
// What the trace itself states; `stated` goes before that.
StatedPeaks KnownPeaks(const Trace& trace, const StatedPeaks& stated);
// Fills what needs the peaks. A share above 1 is none, and is noted: the peak
// is that of another device or type.
void ComparePeaks(const StatedPeaks& peaks, FlopsTable& flops);

}  // namespace stepscope
