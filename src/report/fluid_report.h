// SPDX-License-Identifier: Apache-2.0
//
// The report of the older fluid.profiler: host events by name, per thread.
// Every event counts by itself, nested or not; the GPU time of an event is the
// work launched while it was the innermost one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

// What "Total" adds up: CPU time, GPU time, or both.
enum class FluidState : uint8_t { kCpu, kGpu, kAll };

enum class FluidSort : uint8_t {
  kFirstEnd,  // as the first call of each name ended
  kCalls,
  kTotal,
  kMax,
  kMin,
  kAve,
};

struct FluidOptions {
  FluidState state = FluidState::kAll;
  FluidSort sort = FluidSort::kFirstEnd;
};

// "CPU", "GPU", "All"; "calls", "total", "max", "min", "ave".
std::optional<FluidState> ParseFluidState(std::string_view text);
std::optional<FluidSort> ParseFluidSort(std::string_view text);

// With several threads, a report of all of them and one by thread, the newest
// first; with one, the latter only.
std::string RenderFluidReport(const Trace& trace, const FluidOptions& options);

}  // namespace stepscope
