// SPDX-License-Identifier: Apache-2.0
//
// Findings about kernels that hardware counters measured.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/advice/program.h"
#include "analysis/advice/rules.h"
#include "analysis/counters/measured_groups.h"
#include "analysis/counters/roofline.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

struct BoundKernel {
  const KernelRow* row = nullptr;
  double memory_ratio = 0;
};

// Those that the memory of their device limits, by time.
std::vector<BoundKernel> FindBound(const AdviceInput& input) {
  std::vector<BoundKernel> found;
  for (const KernelRow& row : input.summary.kernel) {
    if (row.measured == nullptr || input.names.collective_kernel(row.id))
      continue;
    const Roofline roofline =
        CompareWithPeaks(*row.measured, input.summary.measured->peaks());
    if (roofline.limit == RoofLimit::kMemory)
      found.push_back({&row, *roofline.memory_ratio});
  }
  StableSort(found, std::ranges::greater{}, [](const BoundKernel& kernel) {
    return kernel.row->gpu.total_ns;
  });
  return found;
}

}  // namespace

void FindMemoryBound(const AdviceInput& input, Advice& advice) {
  constexpr double kFewerBytes = 0.5;  // half the width, or one pass of two
  if (input.summary.measured == nullptr) return;
  std::vector<BoundKernel> bound = FindBound(input);
  if (bound.empty()) return;
  const KernelRow& worst = *bound.front().row;
  const auto saving_ns = static_cast<int64_t>(
      static_cast<double>(worst.gpu.total_ns) * (1 - kFewerBytes));
  if (!input.IsWorthSaying(saving_ns)) return;
  Finding finding;
  finding.id = "memory_bound";
  finding.finding =
      "Kernels are memory-bound: " + Percent(bound.front().memory_ratio) +
      " of this card's bandwidth, as its counters measured.";
  finding.change =
      "kernel:" + KernelPattern(input.summary.kernel, worst.name) + "=0.5";
  finding.saving_ns = input.OfAStep(saving_ns);
  finding.saving_basis =
      "the first kernel below moves half as many bytes; an upper bound";
  if (bound.size() > kMostExamples) bound.resize(kMostExamples);
  for (const BoundKernel& kernel : bound) {
    const MeasuredWork& work = *kernel.row->measured;
    std::string more = ", " + Percent(kernel.memory_ratio) +
                       " of the bandwidth, tensor cores ";
    const std::optional<double> tensor =
        work.ActiveRatio(CounterMeasure::kTensorCores);
    more += tensor ? Percent(*tensor) : "not measured";
    finding.evidence.push_back(OfKernel(*kernel.row, more));
  }
  finding.to_try = {
      "fusing it with the kernels around it, so that values stay on the chip "
      "(torch.compile)",
      "narrower types for what it reads and writes (bfloat16, float8)",
      "a larger batch, where weights are most of what it reads"};
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
