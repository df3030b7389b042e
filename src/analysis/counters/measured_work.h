// SPDX-License-Identifier: Apache-2.0
//
// What counters say of work: of one kernel's calls, of what an operator or a
// module launched, of a step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "analysis/counters/share_out.h"
#include "analysis/stats.h"

namespace stepscope {

struct MeasuredWork {
  int64_t work_ns = 0;  // plain sum
  MeasuredParts parts;
  double flops = 0;      // of counted calls
  int64_t flops_ns = 0;  // of the work that is known to do them

  const MeasuredPart& part(CounterMeasure measure) const {
    return parts[static_cast<size_t>(measure)];
  }

  // Of the work's time; 0 where it has no counters.
  double measured_ratio() const {
    int64_t ns = 0;
    for (const MeasuredPart& part : parts) ns = std::max(ns, part.measured_ns);
    return std::min(1.0, Ratio(ns, work_ns));
  }
  // Of the time in which the device did it. Only of kSms and kTensorCores.
  std::optional<double> ActiveRatio(CounterMeasure measure) const {
    const MeasuredPart& of = part(measure);
    if (of.busy_ns <= 0) return std::nullopt;
    return std::min(1.0, of.amount / of.busy_ns);
  }
  // Of the measured part of the work.
  std::optional<int64_t> dram_bytes() const {
    return Bytes(&MeasuredPart::amount);
  }
  std::optional<int64_t> dram_error_bytes() const {
    return Bytes(&MeasuredPart::error);
  }
  // While the device did it.
  std::optional<double> dram_gb_per_s() const {
    if (!HasDram()) return std::nullopt;
    double rate = 0;
    for (const CounterMeasure measure :
         {CounterMeasure::kDramRead, CounterMeasure::kDramWritten}) {
      const MeasuredPart& of = part(measure);
      if (of.busy_ns > 0) rate += of.amount / of.busy_ns;
    }
    return rate;
  }
  // Of all of the work.
  std::optional<double> tflops_per_s() const {
    if (flops <= 0 || work_ns <= 0) return std::nullopt;
    return flops / static_cast<double>(work_ns) / 1e3;
  }
  // Operations for each byte, as if what was not measured were like the rest.
  std::optional<double> intensity() const {
    const double bytes = static_cast<double>(dram_bytes().value_or(0));
    if (flops <= 0 || bytes <= 0) return std::nullopt;
    return flops * measured_ratio() / bytes;
  }
  // How far the bytes may be off, as a share of them; none: there are none.
  std::optional<double> dram_error_ratio() const {
    const auto bytes = static_cast<double>(dram_bytes().value_or(0));
    if (bytes <= 0) return std::nullopt;
    return static_cast<double>(*dram_error_bytes()) / bytes;
  }

 private:
  bool HasDram() const {
    return part(CounterMeasure::kDramRead).busy_ns > 0 ||
           part(CounterMeasure::kDramWritten).busy_ns > 0;
  }
  std::optional<int64_t> Bytes(double MeasuredPart::*value) const {
    constexpr double kMost = 9e18;  // int64_t
    if (!HasDram()) return std::nullopt;
    const double bytes = part(CounterMeasure::kDramRead).*value +
                         part(CounterMeasure::kDramWritten).*value;
    return std::llround(std::min(bytes, kMost));
  }
};

}  // namespace stepscope
