// SPDX-License-Identifier: Apache-2.0
//
// Findings about the device: it waits for launches, or its kernels do not use
// what it has.
#include <algorithm>
#include <utility>

#include "analysis/advice/rules.h"
#include "analysis/stats.h"
#include "base/text.h"

namespace stepscope {
namespace {

constexpr size_t kMostExamples = 3;
constexpr int64_t kSmallKernelNs = 10'000;

uint64_t KernelCalls(const std::vector<KernelRow>& rows) {
  uint64_t calls = 0;
  for (const KernelRow& row : rows) calls += row.calls;
  return calls;
}

int64_t KernelTime(const std::vector<KernelRow>& rows) {
  int64_t time = 0;
  for (const KernelRow& row : rows) {
    time = SaturatingAdd(time, row.gpu.total_ns);
  }
  return time;
}

Evidence OfKernel(const KernelRow& row, const std::string& more) {
  return {std::to_string(row.calls) + " calls of " +
              Milliseconds(AverageNs(row.gpu.total_ns, row.calls)) + more +
              ": " + std::string(WithoutArguments(row.name)),
          std::string(row.name), row.longest, row.calls,
          row.gpu.total_ns};
}

std::vector<const KernelRow*> ByTime(const std::vector<KernelRow>& rows) {
  std::vector<const KernelRow*> sorted;
  for (const KernelRow& row : rows) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const KernelRow* a, const KernelRow* b) {
                     return a->gpu.total_ns > b->gpu.total_ns;
                   });
  return sorted;
}

// What the host did instead of launching, less what other findings explain.
int64_t LaunchBoundTime(const AdviceInput& input) {
  const Waterfall& waterfall = input.waterfall();
  int64_t time = SaturatingAdd(waterfall.part(StepPart::kLaunchGap),
                               waterfall.part(StepPart::kOtherCpu));
  for (const HostOperator& op : input.summary.idle.host_operators) {
    time = SaturatingSubtract(time, op.idle_ns);
  }
  const int64_t around_sync = input.OfWorstDevices(
      [](const IdleDevice& device) { return device.around_sync_ns; });
  const int64_t after_sync = SaturatingSubtract(
      around_sync, waterfall.part(StepPart::kHostSync));
  return SaturatingSubtract(time, std::max<int64_t>(0, after_sync));
}

}  // namespace

void FindLaunchBound(const AdviceInput& input, Advice& advice) {
  constexpr double kOfStep = 0.1;
  constexpr double kEmptyQueues = 0.3;
  if (!input.has_devices()) return;
  const LaunchStats& launch = input.summary.launch;
  const int64_t time = LaunchBoundTime(input);
  if (!input.IsWorthSaying(time, kOfStep)) return;
  if (launch.launch_bound_ratio() < kEmptyQueues) return;
  Finding finding;
  finding.id = "launch_bound";
  finding.finding = "The device waits for the host to launch work.";
  finding.saving_ns = time;
  finding.saving_basis =
      "the time in which the device stood idle while the host launched or "
      "ran other code: launches that run ahead hide it";
  finding.evidence.push_back(
      {"In " + Percent(launch.launch_bound_ratio()) +
           " of the cases a stream had nothing left to do when the next "
           "launch began (" +
           std::to_string(launch.launch_bound) + " of " +
           std::to_string(launch.followers) + ").",
       "", kNoRow, launch.launch_bound, 0});
  finding.evidence.push_back(
      {"A launch takes " + Milliseconds(launch.call.spread.p50_ns) +
           " on the host (median), a kernel " +
           Milliseconds(AverageNs(KernelTime(input.summary.kernel),
                                  KernelCalls(input.summary.kernel))) +
           " on the device (mean).",
       "", kNoRow, launch.call.count, launch.call.time.total_ns});
  finding.to_try = {
      "capturing the step, or parts of it, as a graph (CUDA graphs)",
      "compiling the model, so that fewer and larger kernels are launched",
      "a larger batch: as many launches for more work"};
  advice.findings.push_back(std::move(finding));
}

void FindSmallKernels(const AdviceInput& input, Advice& advice) {
  constexpr double kMany = 0.3;
  const LaunchStats& launch = input.summary.launch;
  const uint64_t kernels = KernelCalls(input.summary.kernel);
  if (kernels == 0 || static_cast<double>(launch.short_kernels) <
                          kMany * static_cast<double>(kernels)) {
    return;
  }
  const int64_t idle =
      SaturatingAdd(input.waterfall().part(StepPart::kLaunchGap),
                    input.waterfall().part(StepPart::kOtherCpu));
  const int64_t saving = std::min(
      idle,
      SaturatingSubtract(launch.short_calls_ns, launch.short_kernels_ns));
  if (!input.IsWorthSaying(saving)) return;
  Finding finding;
  finding.id = "small_kernels";
  finding.finding = "Many kernels are shorter than the call that launches "
                    "them.";
  finding.saving_ns = saving;
  finding.saving_basis =
      "what launching them takes longer than running them, at most the time "
      "in which the device stood idle for it";
  finding.evidence.push_back(
      {std::to_string(launch.short_kernels) + " of " +
           std::to_string(kernels) + " kernels, " +
           Milliseconds(launch.short_kernels_ns) + " on the device for " +
           Milliseconds(launch.short_calls_ns) + " of launching.",
       "", kNoRow, launch.short_kernels, launch.short_kernels_ns});
  std::vector<const KernelRow*> small;
  for (const KernelRow& row : input.summary.kernel) {
    if (AverageNs(row.gpu.total_ns, row.calls) < kSmallKernelNs) {
      small.push_back(&row);
    }
  }
  std::stable_sort(small.begin(), small.end(),
                   [](const KernelRow* a, const KernelRow* b) {
                     return a->calls > b->calls;
                   });
  if (small.size() > kMostExamples) small.resize(kMostExamples);
  for (const KernelRow* row : small) {
    finding.evidence.push_back(OfKernel(*row, ""));
  }
  finding.to_try = {
      "fusing them: a compiler, or fused versions of optimizer and "
      "normalisation",
      "operators on lists of tensors instead of loops"};
  advice.findings.push_back(std::move(finding));
}

void FindLowOccupancy(const AdviceInput& input, Advice& advice) {
  constexpr double kMostlyUnfilled = 0.5;
  constexpr double kOfStep = 0.05;
  double saving = 0;
  std::vector<const KernelRow*> rows;
  for (const KernelRow* row : ByTime(input.summary.kernel)) {
    if (row->unfilled.value_or(0) < kMostlyUnfilled) continue;
    if (input.names.collective_kernel(row->id)) continue;
    saving += static_cast<double>(row->gpu.total_ns) * *row->unfilled;
    rows.push_back(row);
  }
  const auto saving_ns =
      std::min(static_cast<int64_t>(saving),
               input.waterfall().part(StepPart::kKernel));
  if (!input.IsWorthSaying(saving_ns, kOfStep)) return;
  Finding finding;
  finding.id = "low_occupancy";
  finding.finding = "Kernels are too small to fill the device.";
  finding.saving_ns = saving_ns;
  finding.saving_basis =
      "their time by the share of multiprocessors that had no block; an "
      "upper bound";
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
  constexpr double kOfStep = 0.1;
  int64_t without = 0;
  int64_t with = 0;
  std::vector<const KernelRow*> rows;
  for (const KernelRow* row : ByTime(input.summary.kernel)) {
    if (!row->matrix) continue;
    int64_t& sum = row->tensor_core ? with : without;
    sum = SaturatingAdd(sum, row->gpu.total_ns);
    if (!row->tensor_core) rows.push_back(row);
  }
  if (!input.IsWorthSaying(without, kOfStep)) return;
  Finding finding;
  finding.id = "tensor_cores";
  finding.finding =
      "Matrix products and convolutions run without tensor cores (estimated "
      "by the names of the kernels).";
  finding.saving_ns =
      std::min(without, input.waterfall().part(StepPart::kKernel)) / 2;
  finding.saving_basis =
      "half of their time: tensor cores do at least twice as much";
  finding.evidence.push_back(
      {"Such kernels took " + Milliseconds(without) + " without tensor cores "
       "and " + Milliseconds(with) + " with them.",
       "", kNoRow, 0, without});
  if (rows.size() > kMostExamples) rows.resize(kMostExamples);
  for (const KernelRow* row : rows) {
    finding.evidence.push_back(OfKernel(*row, ""));
  }
  finding.to_try = {"mixed precision (autocast to bfloat16 or float16)",
                    "TF32 for matrix products in float32",
                    "sizes that are multiples of 8"};
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
