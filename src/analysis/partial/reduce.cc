// SPDX-License-Identifier: Apache-2.0
#include "analysis/partial/reduce.h"

#include <functional>
#include <utility>

#include "analysis/partial/job_files.h"
#include "analysis/partial/rows.h"
#include "analysis/summary_notes.h"
#include "analysis/tables/all_tables.h"

namespace stepscope {
namespace {

// Which tables are not given, and what gives them.
std::string MissingTables(const JobFiles& job, ViewSet asked) {
  const std::string never = NamesOfViews(asked & ~kPartialViews);
  const std::string now = NamesOfViews(asked & kPartialViews & ~job.views());
  std::string text;
  if (!never.empty())
    text +=
        "Not in partials, since they need all events at once: " + never + ".";
  if (!now.empty())
    text += std::string(text.empty() ? "" : " ") +
            "Not in partials of ranks without steps: " + now + ".";
  return text;
}

}  // namespace

std::string NamesOfViews(ViewSet views) {
  std::string names;
  for (const TableSchema& table : AllTables()) {
    if (!(views & table.view)) continue;
    names += (names.empty() ? "" : ", ") + std::string(table.title);
  }
  return names;
}

void Reducer::Add(PartialBody body) {
  const auto fold = [](std::vector<NamedSum>& from, NamedSums& to) {
    to.Add(from);
    from = {};
  };
  fold(body.operators, operators_);
  fold(body.kernels, kernels_);
  fold(body.user_defined, user_defined_);
  fold(body.memory_manipulation,
       body.memory_of_device ? device_memory_ : host_memory_);
  fold(body.python, python_);
  if (body.lost) lost_.Add({*std::exchange(body.lost, {})});
  outermost_cpu_ns_ = SaturatingAdd(outermost_cpu_ns_, body.outermost_cpu_ns);
  outermost_gpu_ns_ = SaturatingAdd(outermost_gpu_ns_, body.outermost_gpu_ns);
  files_.push_back(std::move(body));
}

Result<std::unique_ptr<ReducedJob>> Reducer::Finish(
    const SummaryOptions& options, Alignment how) {
  auto result = std::make_unique<ReducedJob>();
  Summary& summary = result->summary;
  JobFiles job(files_, options);
  result->given = job.views();
  result->missing = MissingTables(job, options.chosen_views());

  // Rows refer to texts of the trace: all of them are in it before it is
  // finished.
  TraceBuilder builder;
  job.AddTo(builder);
  FlopsTable table;
  const std::vector<PartialFlops> flops = job.Flops(table);
  const NamedSums& memory =
      host_memory_.rows().empty() ? device_memory_ : host_memory_;
  for (const NamedSums& sums :
       {std::cref(operators_), std::cref(lost_), std::cref(kernels_),
        std::cref(user_defined_), std::cref(memory), std::cref(python_)})
    InternNames(sums.rows(), builder);
  for (const PartialFlops& row : flops) builder.Intern(row.name);
  STEPSCOPE_TRY_ASSIGN(result->trace, builder.Finish());

  const Trace& trace = *result->trace;
  const NamedRows rows(trace, options, job.HasDeviceWork());
  summary.trace = &trace;
  summary.events = job.Events();
  summary.no_launch = job.WithoutLaunch();
  summary.outlives_parent = job.OutlivingParent();
  RankJob ranks = job.AnalyseRanks(how);
  summary.origin_ns = job.origin_ns();
  job.AddSteps(trace, summary);
  const int64_t gpu_ns = job.GpuTime();
  const int64_t all_gpu_ns = job.AllGpuTime();
  const int64_t window_ns = job.WindowLength();
  if (job.Wants(kRankViews)) summary.ranks = std::move(ranks);
  ComparePeak(options.link_peak_gbs, summary.ranks);
  if (job.Wants(kDeviceView)) summary.device = DeviceRows(trace, job.Devices());
  if (job.Wants(kLaunchView)) summary.launch = job.Launches();
  if (job.Wants(kKernelView | kPercentileView))
    summary.kernel = rows.Kernels(kernels_.rows());
  if (job.Wants(kWaterfallView | kIdleView | kOutlierView)) {
    summary.waterfall = job.AddUpWaterfall();
    summary.idle.devices = job.IdleDevices();
    if (job.has_steps()) summary.outliers = ComputeOutliers(summary.waterfall);
  }
  if (job.Wants(kModelView)) summary.model = ModelRows(job.Model(), gpu_ns);
  if (job.Wants(kOperatorView | kPercentileView))
    summary.operators = rows.Operators(operators_.rows(), lost_.rows(),
                                       outermost_cpu_ns_, outermost_gpu_ns_);
  if (job.Wants(kFlopsView | kMfuView) || options.flops) {
    summary.flops = std::move(table);
    for (const PartialFlops& one : flops) {
      summary.flops.rows.push_back(one.row);
      rows.SetName(one.name, summary.flops.rows.back());
    }
    if (!flops.empty()) {
      TimeFlops(summary.steps, summary.total_ns, summary.flops.step);
      summary.flops.step.devices = job.Devices().size();
      summary.flops.step.all_gpu_ns = all_gpu_ns;
    }
    ComparePeaks(options.device_peaks, summary.flops);
  }
  if (job.Wants(kMemoryManipulationView))
    summary.memory_manipulation = rows.Memory(
        memory.rows(), window_ns, all_gpu_ns, &memory == &device_memory_);
  if (job.Wants(kUserDefinedView | kPercentileView))
    summary.user_defined =
        rows.UserDefined(user_defined_.rows(), window_ns, all_gpu_ns);
  if (job.Wants(kPythonView))
    summary.python = rows.Python(python_.rows(), window_ns);

  SummaryOptions given = options;
  given.views = job.views();
  given.steps.reset();
  summary.step_notes = StepNotes(summary, given);
  summary.notes = SummaryNotes(summary, given);
  return result;
}

}  // namespace stepscope
