// SPDX-License-Identifier: Apache-2.0
//
// Columns of what hardware counters say of the work in a row. Traces without
// counters do not show them.
#pragma once

#include <optional>

#include "analysis/counters/measured_work.h"
#include "analysis/schema.h"

namespace stepscope {

// "counters.measured_ratio" and on. `get` gives a MeasuredWork, or null.
template <typename Row, typename Get>
void AddCounters(ColumnsOf<Row>& columns, Get get) {
  const auto of = [get](auto value) {
    return [get, value](const Row& row) {
      const MeasuredWork* work = get(row);
      using Value = decltype(value(*work));
      if (work == nullptr || work->measured_ratio() <= 0) return Value();
      return value(*work);
    };
  };
  columns
      .Ratio("counters.measured_ratio",
             "share of the device work's time in which counters were sampled; "
             "what follows is of this part",
             of([](const MeasuredWork& work) {
               return std::optional(work.measured_ratio());
             }))
      .OnlyIfAny()
      .As("Measured");
  columns
      .Ratio("counters.sm_active_ratio",
             "share of the multiprocessors that had work, measured",
             of([](const MeasuredWork& work) {
               return work.ActiveRatio(CounterMeasure::kSms);
             }))
      .OnlyIfAny()
      .As("SMs active");
  columns
      .Ratio("counters.tensor_core_ratio",
             "how busy the tensor cores were, of what they can do, measured",
             of([](const MeasuredWork& work) {
               return work.ActiveRatio(CounterMeasure::kTensorCores);
             }))
      .OnlyIfAny()
      .As("Tensor cores active");
  columns
      .Bytes("counters.dram_bytes", Adds::kSum,
             "bytes from and to the memory of the device, measured",
             of([](const MeasuredWork& work) { return work.dram_bytes(); }))
      .OnlyIfAny()
      .As("DRAM");
  columns
      .Bytes(
          "counters.dram_error_bytes", Adds::kNothing,
          "by how much that may be off, at most: samples that other work "
          "shares",
          of([](const MeasuredWork& work) { return work.dram_error_bytes(); }))
      .OnlyIfAny()
      .As("DRAM, at most off by");
  columns
      .Number("counters.dram_gb_per_s", "GB/s",
              "traffic of the memory while the device did it",
              of([](const MeasuredWork& work) { return work.dram_gb_per_s(); }))
      .OnlyIfAny()
      .As("DRAM rate");
  columns
      .Number("counters.intensity", "FLOP/B",
              "floating-point operations for each byte; where operators with "
              "known shapes launched the work",
              of([](const MeasuredWork& work) { return work.intensity(); }))
      .OnlyIfAny()
      .As("Operations per byte, measured");
}

}  // namespace stepscope
