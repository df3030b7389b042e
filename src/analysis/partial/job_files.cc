// SPDX-License-Identifier: Apache-2.0
#include "analysis/partial/job_files.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/step_rows.h"
#include "base/stable_sort.h"

namespace stepscope {

JobFiles::JobFiles(std::vector<PartialBody>& files,
                   const SummaryOptions& options)
    : files_(files), options_(options) {
  has_steps_ =
      std::any_of(files.begin(), files.end(),
                  [](const PartialBody& file) { return file.has_steps(); });
  views_ = options.chosen_views() & kPartialViews;
  if (!has_steps_) views_ &= ~kPartialViewsOfSteps;
  if (std::none_of(files.begin(), files.end(), StepsTakeTime))
    views_ &= ~kModelView;
  if (!DevicesHaveSteps()) views_ &= ~kDeviceView;
}

bool JobFiles::StepsTakeTime(const PartialBody& file) {
  return std::any_of(file.steps.begin(), file.steps.end(),
                     [](const StepRow& step) { return step.dur_ns > 0; });
}

void JobFiles::AddTo(TraceBuilder& builder) {
  uint32_t sources = 0;
  for (PartialBody& file : files_) {
    first_process_.push_back(builder.process_count());
    for (Source& source : file.sources) {
      builder.AddSource(source.format, source.path);
      builder.source() = std::move(source);
    }
    for (const PartialProcess& one : file.processes) {
      Process process;
      process.pid = one.pid;
      process.rank = one.rank;
      process.name = builder.Intern(one.name);
      process.host = builder.Intern(one.host);
      process.source = sources + one.source;
      process.start_ns = one.start_ns;
      for (const auto& [key, value] : one.metadata)
        process.metadata.emplace_back(builder.Intern(key),
                                      builder.Intern(value));
      builder.AddProcess(std::move(process));
    }
    sources += static_cast<uint32_t>(file.sources.size());
    builder.MergeCpuUsage({file.cpu_process, file.cpu_system});
  }
}

RankJob JobFiles::AnalyseRanks(Alignment how) {
  std::vector<FileDigest> digests;
  std::vector<std::optional<int64_t>> firsts;
  for (PartialBody& file : files_) {
    firsts.push_back(file.digest.clock.first_ns);
    digests.push_back(std::move(file.digest));
  }
  RankJob job = AnalyseFiles(std::move(digests), how, &clocks_);
  for (size_t i = 0; i < firsts.size(); ++i) {
    if (!firsts[i]) continue;
    const int64_t first_ns = clocks_[i](*firsts[i]);
    origin_ns_ = std::min(origin_ns_.value_or(first_ns), first_ns);
  }
  return job;
}

void JobFiles::AddSteps(const Trace& trace, Summary& summary) const {
  IntervalCollector all;
  std::vector<ProcessPeriods> periods;
  std::vector<StepCost> costs;
  for (size_t i = 0; i < files_.size(); ++i) {
    const ClockMap& clock = clocks_[i];
    for (StepRow row : files_[i].steps) {
      const int64_t end = clock(SaturatingAdd(row.start_ns, row.dur_ns));
      row.start_ns = clock(row.start_ns);
      row.dur_ns = SaturatingSubtract(end, row.start_ns);
      if (row.device_start_ns)
        row.device_start_ns = clock(*row.device_start_ns);
      if (row.device_end_ns) row.device_end_ns = clock(*row.device_end_ns);
      all.Add(row.start_ns, end);
      summary.steps.push_back(row);
    }
    periods.insert(periods.end(), files_[i].periods.begin(),
                   files_[i].periods.end());
    costs.insert(costs.end(), files_[i].costs.begin(), files_[i].costs.end());
  }
  SortByStart(summary.steps);
  summary.has_steps = has_steps_;
  summary.total_ns = TotalLength(all.Finish());
  if (summary.total_ns == 0) summary.total_ns = WindowLength();
  summary.step_time = ComputeStepTime(periods, trace, options_.unprofiled_ns);
  summary.benchmark = ComputeBenchmark(costs);
}

int64_t JobFiles::GpuTime() const {
  int64_t sum = 0;
  for (const PartialBody& file : files_)
    if (Counts(file)) sum = SaturatingAdd(sum, file.gpu_ns);
  return sum;
}

int64_t JobFiles::AllGpuTime() const {
  int64_t sum = 0;
  for (const PartialBody& file : files_)
    sum = SaturatingAdd(sum, file.all_gpu_ns);
  return sum;
}

ModelSums JobFiles::Model() const {
  ModelSums sums;
  sums.has_steps = has_steps_;
  for (const PartialBody& file : files_) {
    if (!Counts(file)) continue;
    for (size_t i = 0; i < ModelSums::kStages; ++i)
      AddStage(file.model.stages[i], sums.stages[i]);
    if (StepsTakeTime(file))
      sums.outside_cpu_ns =
          SaturatingAdd(sums.outside_cpu_ns, file.model.outside_cpu_ns);
    sums.outside_gpu_ns =
        SaturatingAdd(sums.outside_gpu_ns, file.model.outside_gpu_ns);
  }
  return sums;
}

std::vector<DeviceUse> JobFiles::Devices() const {
  std::vector<DeviceUse> devices;
  for (size_t i = 0; i < files_.size(); ++i) {
    for (DeviceUse device : files_[i].devices) {
      device.process += first_process_[i];
      devices.push_back(std::move(device));
    }
  }
  std::sort(devices.begin(), devices.end(),
            [](const DeviceUse& a, const DeviceUse& b) {
              return std::tie(a.kind, a.id, a.process) <
                     std::tie(b.kind, b.id, b.process);
            });
  return devices;
}

Waterfall JobFiles::AddUpWaterfall() const {
  Waterfall all;
  for (size_t i = 0; i < files_.size(); ++i) {
    const Waterfall& one = files_[i].waterfall;
    all.device_events += one.device_events;
    all.device_events_launched += one.device_events_launched;
    all.host_events += one.host_events;
    if (!Counts(files_[i])) continue;
    all.processes += one.processes;
    all.other_threads_steps += one.other_threads_steps;
    all.step_ns = SaturatingAdd(all.step_ns, one.step_ns);
    for (size_t part = 0; part < kStepParts; ++part)
      all.part_ns[part] = SaturatingAdd(all.part_ns[part], one.part_ns[part]);
    for (StepParts step : one.steps) {
      step.process += first_process_[i];
      step.range = {clocks_[i](step.range.begin), clocks_[i](step.range.end)};
      all.steps.push_back(step);
    }
  }
  return all;
}

std::vector<IdleDevice> JobFiles::IdleDevices() const {
  std::vector<IdleDevice> devices;
  for (size_t i = 0; i < files_.size(); ++i) {
    for (const IdleDevice& from : files_[i].idle_devices) {
      IdleDevice device;
      device.rows = from.rows;
      if (Counts(files_[i])) {
        device = from;
        for (IdleRow& row : device.rows)
          if (row.gaps > 0) row.longest_at_ns = clocks_[i](row.longest_at_ns);
      } else {
        for (IdleRow& row : device.rows) row = {row.cause, 0, 0, 0, 0};
      }
      device.name = from.name;
      device.process = from.process + first_process_[i];
      devices.push_back(std::move(device));
    }
  }
  return devices;
}

EventFacts JobFiles::Events() const {
  EventFacts all;
  uint32_t source = 0;  // the first of the file
  for (const PartialBody& file : files_) {
    all.any = all.any || file.events.any;
    all.open += file.events.open;
    all.dropped += file.events.dropped;
    if (file.events.dropped > 0) all.dropped_of[source] += file.events.dropped;
    source += static_cast<uint32_t>(file.sources.size());
  }
  return all;
}

uint64_t JobFiles::WithoutLaunch() const {
  uint64_t count = 0;
  for (const PartialBody& file : files_) count += file.no_launch;
  return count;
}

uint64_t JobFiles::OutlivingParent() const {
  uint64_t count = 0;
  for (const PartialBody& file : files_) count += file.outlives_parent;
  return count;
}

bool JobFiles::DevicesHaveSteps() const {
  for (const PartialBody& file : files_)
    for (const DeviceUse& device : file.devices)
      if (!device.own_window) return false;
  return true;
}

void JobFiles::AddStage(const ModelSums::Stage& from, ModelSums::Stage& to) {
  to.calls += from.calls;
  AddStats(from.cpu, to.cpu);
  AddStats(from.gpu, to.gpu);
  to.inferred = to.inferred || from.inferred;
}

template <typename Has, typename Get>
int64_t JobFiles::HullOf(Has has, Get get) const {
  Interval hull{INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < files_.size(); ++i) {
    if (!has(files_[i])) continue;
    const Interval range = get(files_[i]);
    hull.begin = std::min(hull.begin, clocks_[i](range.begin));
    hull.end = std::max(hull.end, clocks_[i](range.end));
  }
  return hull.begin < hull.end ? SaturatingSubtract(hull.end, hull.begin) : 0;
}

int64_t JobFiles::WindowLength() const {
  const int64_t recorded =
      HullOf([](const PartialBody& file) { return file.has_window; },
             [](const PartialBody& file) { return file.window; });
  if (recorded > 0) return recorded;
  return HullOf(
      [](const PartialBody& file) {
        return file.events_span.begin != 0 || file.events_span.end != 0;
      },
      [](const PartialBody& file) { return file.events_span; });
}

bool JobFiles::HasDeviceWork() const {
  return std::any_of(files_.begin(), files_.end(), [](const PartialBody& file) {
    return file.waterfall.device_events > 0;
  });
}

LaunchStats JobFiles::Launches() const {
  LaunchStats all;
  DurationSketch calls;
  DurationSketch delays;
  const auto add = [](const LaunchSeries& from, LaunchSeries& to) {
    to.count += from.count;
    AddStats(from.time, to.time);
  };
  for (const PartialBody& file : files_) {
    const LaunchStats& one = file.launch;
    all.device_events += one.device_events;
    all.without_launch += one.without_launch;
    all.launches_without_work += one.launches_without_work;
    add(one.call, all.call);
    add(one.queue_delay, all.queue_delay);
    all.early += one.early;
    all.short_kernels += one.short_kernels;
    all.short_kernels_ns =
        SaturatingAdd(all.short_kernels_ns, one.short_kernels_ns);
    all.short_calls_ns = SaturatingAdd(all.short_calls_ns, one.short_calls_ns);
    all.followers += one.followers;
    all.launch_bound += one.launch_bound;
    calls.Add(file.launch_calls);
    delays.Add(file.launch_delays);
  }
  all.call.spread = calls.ToSpread();
  all.queue_delay.spread = delays.ToSpread();
  return all;
}

std::vector<PartialFlops> JobFiles::Flops(FlopsTable& table) const {
  std::map<std::string, FlopsRow> by_name;
  StepFlops& step = table.step;
  for (const PartialBody& file : files_) {
    table.total_flops = SaturatingAdd(table.total_flops, file.total_flops);
    step.flops = SaturatingAdd(step.flops, file.step_flops);
    step.counted_gpu_ns =
        SaturatingAdd(step.counted_gpu_ns, file.counted_gpu_ns);
    for (const PartialFlops& one : file.flops) {
      FlopsRow& row = by_name[one.name];
      row.calls += one.row.calls;
      row.counted_calls += one.row.counted_calls;
      row.flops = SaturatingAdd(row.flops, one.row.flops);
      row.gpu_ns = SaturatingAdd(row.gpu_ns, one.row.gpu_ns);
      row.gpu_flops = SaturatingAdd(row.gpu_flops, one.row.gpu_flops);
      row.host_ns = SaturatingAdd(row.host_ns, one.row.host_ns);
      row.moved_bytes = SaturatingAdd(row.moved_bytes, one.row.moved_bytes);
      row.bytes_known = row.bytes_known && one.row.bytes_known;
    }
  }
  std::vector<PartialFlops> rows;
  for (const auto& [name, row] : by_name) rows.push_back({name, row});
  StableSort(rows.begin(), rows.end(),
             [](const PartialFlops& a, const PartialFlops& b) {
               return a.row.flops > b.row.flops;
             });
  return rows;
}

}  // namespace stepscope
