// SPDX-License-Identifier: Apache-2.0
//
// The rows of tables that are by name, from what the names of all ranks add up
// to: shares, order and detail as the options ask.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/partial/named_sum.h"
#include "analysis/summary.h"
#include "analysis/summary_options.h"
#include "trace/build/trace_builder.h"

namespace stepscope {

// Names live in a trace; these must be in it before it is finished.
void InternNames(const std::vector<NamedSum>& sums, TraceBuilder& builder);

class NamedRows {
 public:
  // REQUIRES: `trace` has all names. Both outlive this.
  // `has_device_work`: of any rank.
  NamedRows(const Trace& trace, const SummaryOptions& options,
            bool has_device_work)
      : trace_(trace), options_(options), has_device_work_(has_device_work) {}

  // `window_ns`: of the whole job. `lost`: work whose launch was not recorded,
  // if there was any.
  std::vector<OperatorGroup> Operators(const std::vector<NamedSum>& sums,
                                       const std::vector<NamedSum>& lost,
                                       int64_t outermost_cpu_ns,
                                       int64_t outermost_gpu_ns) const;
  std::vector<KernelRow> Kernels(const std::vector<NamedSum>& sums) const;
  std::vector<ThreadRows> UserDefined(const std::vector<NamedSum>& sums,
                                      int64_t window_ns, int64_t gpu_ns) const;
  // `of_device`: copies of the device, which stand by time.
  std::vector<NamedRow> Memory(const std::vector<NamedSum>& sums,
                               int64_t window_ns, int64_t gpu_ns,
                               bool of_device) const;
  std::vector<PythonRow> Python(const std::vector<NamedSum>& sums,
                                int64_t window_ns) const;

  template <typename Row>
  void SetName(std::string_view name, Row& row) const {
    row.id = trace_.strings().Find(name);
    row.name = trace_.str(row.id);
  }

 private:
  std::string_view NameOf(const NamedSum& sum) const;
  NamedRow MakeRow(const NamedSum& sum, int64_t window_ns,
                   int64_t gpu_ns) const;
  std::vector<OperatorDeviceRow> DeviceRows(const NamedSum& sum) const;
  OperatorRow MakeOperator(const NamedSum& sum, int64_t cpu_ns,
                           int64_t gpu_ns) const;
  template <typename Row>
  void Sort(std::vector<Row>& rows, SortKey key) const;

  const Trace& trace_;
  const SummaryOptions& options_;
  const bool has_device_work_;
};

}  // namespace stepscope
