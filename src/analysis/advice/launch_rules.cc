// SPDX-License-Identifier: Apache-2.0
//
// Findings about launching: the device waits for it, or it costs more than
// what is launched.
#include <algorithm>
#include <utility>

#include "analysis/advice/idle_ranges.h"
#include "analysis/advice/program.h"
#include "analysis/advice/rules.h"
#include "analysis/kinds.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

uint64_t KernelCalls(const std::vector<KernelRow>& rows) {
  uint64_t calls = 0;
  for (const KernelRow& row : rows) calls += row.calls;
  return calls;
}

int64_t KernelTime(const std::vector<KernelRow>& rows) {
  int64_t time = 0;
  for (const KernelRow& row : rows)
    time = SaturatingAdd(time, row.gpu.total_ns);
  return time;
}

// What the host did instead of launching.
int64_t LaunchBoundTime(const AdviceInput& input) {
  return SaturatingAdd(input.waterfall().part(StepPart::kLaunchGap),
                       input.waterfall().part(StepPart::kOtherCpu));
}

Interval LongestLaunchGap(const AdviceInput& input) {
  const IdleRow* longest = nullptr;
  for (const IdleDevice& device : input.summary.idle.devices) {
    for (const IdleRow& row : device.rows)
      if (row.cause == StepPart::kLaunchGap &&
          (longest == nullptr || row.longest_ns > longest->longest_ns))
        longest = &row;
  }
  return longest == nullptr ? Interval{} : LongestGap(*longest);
}

void AddIdleRanges(const AdviceInput& input, Finding& finding) {
  constexpr double kNamed = 0.1;  // of the idle time
  const IdleRanges idle = FindIdleRanges(input);
  size_t shown = 0;
  for (const IdleRange& range : idle.ranges) {
    if (shown == kMostExamples || Ratio(range.idle_ns, idle.idle_ns) < kNamed)
      break;
    ++shown;
    finding.evidence.push_back(
        {"The device is idle for " + input.PerStep(range.idle_ns) + " under " +
             range.name + ".",
         range.name, range.example, range.calls, range.idle_ns});
  }
}

bool HasGraphLaunches(const AdviceInput& input) {
  for (uint32_t i = 0; i < input.tree.threads().size(); ++i)
    if (input.tree.Has(i, SetOf(STEPSCOPE_GRAPH_LAUNCH))) return true;
  return false;
}

std::vector<std::string> LaunchRemedies(const AdviceInput& input) {
  if (HasGraphLaunches(input)) {
    return {"taking into the graph what is still launched beside it",
            "one graph for the step instead of several",
            "a larger batch: more work per launch"};
  }
  switch (FindCompiled(input)) {
    case Compiled::kNo:
      break;
    case Compiled::kTorch:
      return {
          "CUDA graphs around the compiled model: "
          "torch.compile(mode=\"reduce-overhead\")",
          "compiling what is still outside: graph breaks, the optimizer",
          "a larger batch: more work per launch"};
    case Compiled::kXla:
      return {
          "one compiled function for the whole step, or several steps in "
          "a loop inside it (lax.scan)",
          "command buffers, which XLA launches as CUDA graphs "
          "(--xla_gpu_enable_command_buffer)",
          "a larger batch: more work per launch"};
  }
  return {input.communication.host_calls() > 0
              ? "capturing forward and backward as graphs (CUDA graphs)"
              : "capturing the step, or parts of it, as a graph (CUDA graphs)",
          "compiling the model, so that fewer and larger kernels are launched",
          "a larger batch: more work per launch"};
}

// The optimizer's range with the most launches.
struct OptimizerRange {
  StringId name;
  Row longest = kNoRow;
  uint64_t calls = 0;
  int64_t time_ns = 0;
};

bool NamesOptimizer(std::string_view name) {
  return name.starts_with("Optimizer.step#") || name == "optimizer_step" ||
         name == "Optimizer.step";
}

}  // namespace

void FindLaunchBound(const AdviceInput& input, Advice& advice) {
  constexpr double kOfStep = 0.03;
  constexpr double kEmptyQueues = 0.05;
  if (!input.has_devices() || !input.TrustsIdleTime()) return;
  const LaunchStats& launch = input.summary.launch;
  const int64_t time = LaunchBoundTime(input);
  if (!input.IsWorthSaying(time, kOfStep)) return;
  if (launch.launch_bound_ratio() < kEmptyQueues) return;
  Finding finding;
  finding.id = "launch_bound";
  finding.finding = "The device waits for the host to launch work.";
  finding.saving_ns = input.OfAStep(time);
  if (input.communication.host_calls() == 0) {
    finding.change = "graph";
    finding.saving_basis =
        "the launches of a step become one, as with a captured graph";
  } else {
    finding.saving_basis =
        "the time in which the device waited for launches; communication by "
        "the host cannot be in a graph";
  }
  finding.evidence.push_back(
      {"In " + Percent(launch.launch_bound_ratio()) +
           " of the cases a stream had nothing left to do when the next "
           "launch began (" +
           CountText(launch.launch_bound) + " of " +
           CountText(launch.followers) + ").",
       "", kNoRow, launch.launch_bound, 0, LongestLaunchGap(input)});
  finding.evidence.push_back(
      {"A launch takes " + Milliseconds(launch.call.spread.p50_ns) +
           " on the host (median), a kernel " +
           Milliseconds(AverageNs(KernelTime(input.summary.kernel),
                                  KernelCalls(input.summary.kernel))) +
           " on the device (mean).",
       "", kNoRow, launch.call.count, launch.call.time.total_ns});
  AddIdleRanges(input, finding);
  finding.to_try = LaunchRemedies(input);
  advice.findings.push_back(std::move(finding));
}

void FindSmallKernels(const AdviceInput& input, Advice& advice) {
  constexpr double kMany = 0.3;
  // In a step: a few slow launches (loading code, say) are not many kernels.
  constexpr uint64_t kAtLeast = 10;
  if (!input.TrustsIdleTime()) return;
  const LaunchStats& launch = input.summary.launch;
  const uint64_t kernels = KernelCalls(input.summary.kernel);
  if (kernels == 0 || launch.short_kernels < kAtLeast * input.step_count() ||
      static_cast<double>(launch.short_kernels) <
          kMany * static_cast<double>(kernels))
    return;
  const auto calls = static_cast<int64_t>(launch.short_kernels);
  Finding finding;
  finding.id = "small_kernels";
  finding.finding =
      "Many kernels are shorter than the call that launches "
      "them.";
  finding.change = "fuse_small";
  finding.saving_ns = input.OfAStep(std::min(
      LaunchBoundTime(input),
      std::max<int64_t>(0, SaturatingSubtract(calls * launch.call.spread.p50_ns,
                                              launch.short_kernels_ns))));
  finding.saving_basis =
      "kernels under 10 us that follow each other become one";
  finding.evidence.push_back(
      {CountText(launch.short_kernels) + " of " + CountText(kernels, "kernel") +
           " (" +
           Percent(static_cast<double>(launch.short_kernels) /
                   static_cast<double>(kernels)) +
           "): " +
           Milliseconds(
               AverageNs(launch.short_kernels_ns, launch.short_kernels)) +
           " on the device on average, for a launch of " +
           Milliseconds(launch.call.spread.p50_ns) + " (median).",
       "", kNoRow, launch.short_kernels, launch.short_kernels_ns});
  std::vector<const KernelRow*> small;
  for (const KernelRow& row : input.summary.kernel)
    if (AverageNs(row.gpu.total_ns, row.calls) < kSmallKernelNs)
      small.push_back(&row);
  StableSort(small.begin(), small.end(),
             [](const KernelRow* a, const KernelRow* b) {
               return a->calls > b->calls;
             });
  if (small.size() > kMostExamples) small.resize(kMostExamples);
  for (const KernelRow* row : small) {
    finding.evidence.push_back(
        {CountText(row->calls, "call") + " of " +
             Milliseconds(AverageNs(row->gpu.total_ns, row->calls)) + ": " +
             std::string(WithoutArguments(row->name)),
         std::string(row->name), row->longest, row->calls, row->gpu.total_ns});
  }
  if (FindCompiled(input) == Compiled::kNo) {
    finding.to_try.push_back(
        "compiling the model, which fuses elementwise operators");
  }
  finding.to_try.push_back("fused versions of optimizer and normalisation");
  finding.to_try.push_back("operators on lists of tensors instead of loops");
  advice.findings.push_back(std::move(finding));
}

void FindOptimizerLoop(const AdviceInput& input, Advice& advice) {
  constexpr uint64_t kLoop = 20;  // launches of one call
  if (!input.TrustsIdleTime()) return;
  const Trace& trace = input.trace();
  const Census& census = input.tree.census();
  OptimizerRange found;
  bool any = false;
  for (uint32_t i = 0; i < trace.strings().size() && !any; ++i) {
    any = census.host_types(StringId{i}) != 0 &&
          NamesOptimizer(trace.str(StringId{i}));
    if (any) found.name = StringId{i};
  }
  if (!any) return;
  uint64_t launches = 0;
  for (uint32_t i = 0; i < input.tree.threads().size(); ++i) {
    int64_t until = INT64_MIN;
    input.tree.threads().ForEachRow(i, [&](Row row) {
      if (trace.name()[row] == found.name) {
        ++found.calls;
        found.time_ns = SaturatingAdd(found.time_ns, trace.dur_ns()[row]);
        until = input.tree.end_ns(row);
        if (found.longest == kNoRow ||
            trace.dur_ns()[row] > trace.dur_ns()[found.longest])
          found.longest = row;
      } else if (trace.start_ns()[row] < until &&
                 IsApiCall(trace.type()[row])) {
        launches += input.names.launch_call(trace.name()[row]);
      }
    });
  }
  if (found.calls == 0 || launches < kLoop * found.calls) return;
  const std::string name(trace.str(found.name));
  Finding finding;
  finding.id = "optimizer_loop";
  finding.finding =
      "The optimizer launches its kernels one by one (" + name + ").";
  finding.change = "fuse_small:" + name;
  finding.saving_ns =
      input.OfAStep(std::min(found.time_ns, LaunchBoundTime(input)));
  finding.saving_basis = "its small kernels become one";
  finding.evidence.push_back(
      {CountText(found.calls, "call") + ", " +
           CountText(launches / found.calls) + " launches and " +
           Milliseconds(AverageNs(found.time_ns, found.calls)) +
           " each on average: " + name,
       name, found.longest, found.calls, found.time_ns});
  finding.to_try = {"the fused optimizer, such as AdamW(..., fused=True)",
                    "operators on lists of tensors (foreach=True)"};
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
