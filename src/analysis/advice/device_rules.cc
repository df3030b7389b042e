// SPDX-License-Identifier: Apache-2.0
//
// Findings about kernels that do not use what the device has.
#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/advice/program.h"
#include "analysis/advice/rules.h"
#include "analysis/counters/measured_groups.h"
#include "analysis/counters/roofline.h"
#include "analysis/name_class.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {

Evidence OfKernel(const KernelRow& row, const std::string& more) {
  return {CountText(row.calls, "call") + " of " +
              Milliseconds(AverageNs(row.gpu.total_ns, row.calls)) + more +
              ": " + std::string(WithoutArguments(row.name)),
          std::string(row.name), row.longest, row.calls, row.gpu.total_ns};
}

namespace {

std::vector<const KernelRow*> ByTime(const std::vector<KernelRow>& rows) {
  std::vector<const KernelRow*> sorted;
  for (const KernelRow& row : rows) sorted.push_back(&row);
  StableSort(sorted.begin(), sorted.end(),
             [](const KernelRow* a, const KernelRow* b) {
               return a->gpu.total_ns > b->gpu.total_ns;
             });
  return sorted;
}

// Whether a matrix kernel uses tensor cores.
struct TensorCoreUse {
  bool any = false;
  std::optional<double> measured = {};  // how busy they were

  explicit TensorCoreUse(const KernelRow& row) : any(row.tensor_core) {
    constexpr double kHardly = 0.02;
    if (row.measured == nullptr ||
        !IsActivityTrusted(*row.measured, CounterMeasure::kTensorCores))
      return;
    measured = row.measured->ActiveRatio(CounterMeasure::kTensorCores);
    any = *measured > kHardly;
  }
};

std::string TensorCoreText(const KernelRow& row) {
  const TensorCoreUse use(row);
  return use.measured ? ", tensor cores " + Percent(*use.measured) : "";
}

// Tensor cores do not help where the memory is the limit.
bool IsMemoryBound(const AdviceInput& input, const KernelRow& row) {
  return row.measured != nullptr &&
         CompareWithPeaks(*row.measured, input.summary.measured->peaks())
                 .limit == RoofLimit::kMemory;
}

}  // namespace

void FindLowOccupancy(const AdviceInput& input, Advice& advice) {
  constexpr double kMostlyUnfilled = 0.5;
  const auto lost = [](const KernelRow* row) {
    return static_cast<double>(row->gpu.total_ns) * *row->unfilled;
  };
  std::vector<const KernelRow*> rows;
  for (const KernelRow& row : input.summary.kernel) {
    if (row.unfilled.value_or(0) < kMostlyUnfilled) continue;
    if (input.names.collective_kernel(row.id)) continue;
    rows.push_back(&row);
  }
  if (rows.empty()) return;
  StableSort(rows.begin(), rows.end(),
             [&](const KernelRow* a, const KernelRow* b) {
               return lost(a) > lost(b);
             });
  const KernelRow* worst = rows.front();
  const auto saving_ns = static_cast<int64_t>(lost(worst));
  if (!input.IsWorthSaying(saving_ns)) return;
  Finding finding;
  finding.id = "low_occupancy";
  finding.finding = "Kernels are too small to fill the device.";
  finding.change =
      "kernel:" + KernelPattern(input.summary.kernel, worst->name) +
      Format("=%.2f", 1 - *worst->unfilled);
  finding.saving_ns = input.OfAStep(saving_ns);
  finding.saving_basis =
      "the first kernel below takes less time by the share of "
      "multiprocessors that had no block; an upper bound";
  if (rows.size() > kMostExamples) rows.resize(kMostExamples);
  for (const KernelRow* row : rows) {
    std::string more =
        ", " + Percent(*row->unfilled) + " of the multiprocessors empty";
    if (row->occupancy) more += ", occupancy " + Percent(*row->occupancy);
    finding.evidence.push_back(OfKernel(*row, more));
  }
  finding.to_try = {"a larger batch, or larger tensors in one call",
                    "running independent kernels on several streams"};
  advice.findings.push_back(std::move(finding));
}

void FindIdleTensorCores(const AdviceInput& input, Advice& advice) {
  int64_t without = 0;
  int64_t with = 0;
  std::vector<const KernelRow*> rows;
  bool as_named = true;  // for the replay, which goes by names
  bool estimated = false;
  for (const KernelRow* row : ByTime(input.summary.kernel)) {
    if (!row->matrix || IsMemoryBound(input, *row)) continue;
    const TensorCoreUse use(*row);
    if (!use.measured && IsTensorCoreUnknown(row->name)) continue;
    as_named = as_named && use.any == row->tensor_core;
    int64_t& sum = use.any ? with : without;
    sum = SaturatingAdd(sum, row->gpu.total_ns);
    if (use.any) continue;
    rows.push_back(row);
    estimated = estimated || !use.measured;
  }
  if (!input.IsWorthSaying(without)) return;
  Finding finding;
  finding.id = "tensor_cores";
  finding.finding =
      std::string(
          "Matrix products and convolutions run without tensor cores ") +
      (estimated ? "(estimated by the names of the kernels)." : "(measured).");
  if (as_named) finding.change = "tensor_cores";
  finding.saving_ns = input.OfAStep(
      std::min(without, input.waterfall().part(StepPart::kKernel)) / 2);
  finding.saving_basis = "these kernels use tensor cores";
  finding.evidence.push_back({"Such kernels took " + Milliseconds(without) +
                                  " without tensor cores "
                                  "and " +
                                  Milliseconds(with) + " with them.",
                              "", kNoRow, 0, without});
  if (rows.size() > kMostExamples) rows.resize(kMostExamples);
  for (const KernelRow* row : rows)
    finding.evidence.push_back(OfKernel(*row, TensorCoreText(*row)));
  finding.to_try = {"mixed precision (autocast to bfloat16 or float16)",
                    "TF32 for matrix products in float32",
                    "sizes that are multiples of 8"};
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
