// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "analysis/partial/partial.h"
#include "analysis/step_rows.h"
#include "trace/overlap.h"

namespace stepscope {
namespace {

void TakeSketch(const Spread& spread, DurationSketch& sketch) {
  if (spread.sketch != nullptr) sketch = *spread.sketch;
}

template <typename Row>
NamedSum SumOf(const Row& row) {
  NamedSum sum;
  sum.name = row.name;
  sum.calls = row.calls;
  sum.gpu = StatsOf(row.gpu);
  if constexpr (requires { row.cpu; }) sum.cpu = StatsOf(row.cpu);
  if constexpr (requires { row.nested_calls; })
    sum.nested_calls = row.nested_calls;
  if constexpr (requires { row.self_cpu_ns; })
    sum.self_cpu_ns = row.self_cpu_ns;
  if constexpr (requires { row.share; }) sum.share = row.share;
  if constexpr (requires { row.device; })
    for (const OperatorDeviceRow& device : row.device)
      sum.device.push_back(SumOf(device));
  if constexpr (requires { row.inner; })
    for (const OperatorInnerRow& inner : row.inner)
      sum.inner.push_back(SumOf(inner));
  return sum;
}

class Mapper {
 public:
  Mapper(const Trace& trace, const MapOptions& options)
      : trace_(trace),
        options_(options),
        tree_(trace),
        steps_(tree_),
        names_(trace.strings()),
        communication_(tree_, names_) {}

  PartialBody Map() {
    AddFacts();
    AddSteps();
    Sweep();
    if (Wants(kModelView)) body_.model = ComputeModelSums(tree_, steps_);
    if (Wants(kDeviceView | kMfuView))
      body_.devices = FindDeviceUse(tree_, steps_);
    if (Wants(kOperatorView | kPercentileView)) AddOperators();
    if (Wants(kKernelView | kPercentileView)) AddKernels();
    if (Wants(kMemoryManipulationView | kUserDefinedView | kPercentileView))
      AddUserDefined();
    if (Wants(kPythonView)) AddPython();
    if (Wants(kFlopsView | kMfuView)) AddFlops();
    if (Wants(kLaunchView)) AddLaunches();
    return std::move(body_);
  }

 private:
  bool Wants(ViewSet any_of) const { return bool(options_.views & any_of); }

  void AddFacts() {
    body_.sources = trace_.sources();
    for (const Process& process : trace_.processes()) {
      PartialProcess& one = body_.processes.emplace_back();
      one.pid = process.pid;
      one.rank = process.rank;
      one.name = trace_.str(process.name);
      one.host = trace_.str(process.host);
      one.source = process.source;
      one.start_ns = process.start_ns;
      for (const auto& [key, value] : process.metadata)
        one.metadata.emplace_back(trace_.str(key), trace_.str(value));
    }
    body_.events = CountEvents(trace_);
    body_.window = {trace_.begin_ns(), trace_.end_ns()};
    body_.has_window =
        trace_.size() > 0 || trace_.begin_ns() != trace_.end_ns();
    for (Row row = 0; row < trace_.size(); ++row) {
      Interval& span = body_.events_span;
      const int64_t start = trace_.start_ns()[row];
      const int64_t end = tree_.end_ns(row);
      span.begin = row == 0 ? start : std::min(span.begin, start);
      span.end = row == 0 ? end : std::max(span.end, end);
    }
    body_.cpu_process = trace_.cpu_usage().process;
    body_.cpu_system = trace_.cpu_usage().system;
    body_.no_launch = tree_.orphans();
    body_.outlives_parent = CountOutliving(tree_.trace());
  }

  void AddSteps() {
    for (const StepInterval& step : steps_.steps())
      body_.steps.push_back(RowOfStep(tree_, step));
    body_.periods = FindPeriods(tree_, steps_);
    body_.costs = FindStepCosts(steps_);
    body_.gpu_ns = steps_.gpu_ns();
    body_.all_gpu_ns = steps_.all_gpu_ns();
  }

  void Sweep() {
    const StepSweep sweep(tree_, steps_, names_, communication_);
    WaterfallTable waterfall;
    std::optional<IdleTable> idle;
    if (Wants(kIdleView)) idle.emplace(tree_, steps_, sweep);
    sweep.Run([&](const StepWindow& window) {
      waterfall.Add(window);
      if (idle) idle->Add(window);
    });
    body_.waterfall = waterfall.Finish(tree_, steps_);
    if (idle) body_.idle_devices = idle->Finish().devices;
    // Whatever was asked for: it lays the ranks on one clock.
    body_.digest =
        DigestFile(tree_, steps_, names_, communication_, body_.waterfall);
  }

  void AddOperators() {
    const std::vector<OperatorGroup> groups = ComputeOperators(
        tree_, {SortKey::kVisit, /*per_thread=*/false, /*detail=*/true,
                options_.sketch, options_.sketch});
    for (const OperatorGroup& group : groups) {
      body_.outermost_cpu_ns += group.outermost_cpu_ns;
      body_.outermost_gpu_ns += group.outermost_gpu_ns;
      for (const OperatorRow& row : group.rows) {
        NamedSum sum = SumOf(row);
        sum.self_gpu_ns = row.self_gpu_ns;
        TakeSketch(row.cpu_spread, sum.cpu_sketch);
        TakeSketch(row.gpu_spread, sum.gpu_sketch);
        // It launched nothing, for which other ranks may have a device.
        if (tree_.work().empty() && options_.sketch)
          sum.gpu_sketch = DurationSketch::OfEqual(0, row.calls);
        if (row.no_launch)
          body_.lost = std::move(sum);
        else
          body_.operators.push_back(std::move(sum));
      }
    }
  }

  void AddKernels() {
    for (const KernelRow& row :
         ComputeKernels(tree_, names_,
                        {SortKey::kVisit, options_.sketch, options_.sketch})) {
      NamedSum sum = SumOf(row);
      TakeSketch(row.spread, sum.gpu_sketch);
      sum.use = row.use;
      body_.kernels.push_back(std::move(sum));
    }
  }

  void AddUserDefined() {
    const UserDefined events = ComputeUserDefined(tree_, steps_, names_,
                                                  {.sort = SortKey::kVisit,
                                                   .spread = options_.sketch,
                                                   .sketch = options_.sketch});
    for (const ThreadRows& group : events.events) {
      for (const RangeRow& row : group.rows) {
        NamedSum sum = SumOf(row);
        TakeSketch(row.cpu_spread, sum.cpu_sketch);
        TakeSketch(row.gpu_spread, sum.gpu_sketch);
        if (tree_.work().empty() && options_.sketch)
          sum.gpu_sketch = DurationSketch::OfEqual(0, row.calls);
        body_.user_defined.push_back(std::move(sum));
      }
    }
    body_.memory_of_device = events.of_device;
    for (const NamedRow& row : events.memory_manipulation)
      body_.memory_manipulation.push_back(SumOf(row));
  }

  void AddPython() {
    for (const PythonRow& row : ComputePython(tree_, steps_, SortKey::kVisit)) {
      NamedSum sum;
      sum.name = row.event;
      sum.calls = row.calls;
      sum.nested_calls = row.nested_calls;
      sum.cpu = StatsOf(row.cpu);
      sum.self_cpu_ns = row.self_cpu_ns;
      sum.share = row.share;
      body_.python.push_back(std::move(sum));
    }
  }

  void AddFlops() {
    const FlopsTable table = ComputeFlops(tree_, steps_);
    body_.total_flops = table.total_flops;
    body_.step_flops = table.step.flops;
    body_.counted_gpu_ns = table.step.counted_gpu_ns;
    for (const FlopsRow& row : table.rows)
      body_.flops.push_back({std::string(row.name), row});
  }

  void AddLaunches() {
    body_.launch = ComputeLaunches(tree_, names_, options_.sketch);
    TakeSketch(body_.launch.call.spread, body_.launch_calls);
    TakeSketch(body_.launch.queue_delay.spread, body_.launch_delays);
  }

  const Trace& trace_;
  const MapOptions options_;
  const EventTree tree_;
  const StepTable steps_;
  NameClasses names_;
  const Communication communication_;
  PartialBody body_;
};

}  // namespace

PartialBody MapTrace(const Trace& trace, const MapOptions& options) {
  return Mapper(trace, options).Map();
}

void ReplacePath(const std::string& path, const std::string& by,
                 PartialBody& body) {
  const auto replace = [&](std::string& text) {
    if (text == path) text = by;
  };
  for (Source& source : body.sources) replace(source.path);
  replace(body.digest.member.file);
  for (RankDigest& rank : body.digest.ranks) replace(rank.file);
}

}  // namespace stepscope
