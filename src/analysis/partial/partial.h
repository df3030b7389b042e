// SPDX-License-Identifier: Apache-2.0
//
// Partial: what is left of the trace of one rank once it has been mapped, so
// that any number of ranks can be reduced to the tables of the job: sums by
// name, the steps, the collectives. Times are as the rank recorded them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/partial/named_sum.h"
#include "analysis/ranks/file_digest.h"
#include "analysis/summary.h"
#include "trace/job/jobs.h"

namespace stepscope {

// Views that partials give exactly, and with the sketch's error.
inline constexpr ViewSet kExactPartialViews =
    kDeviceView | kModelView | kKernelView | kOperatorView |
    kMemoryManipulationView | kUserDefinedView | kPythonView | kFlopsView |
    kMfuView | kWaterfallView | kIdleView | kOutlierView | kStepsView |
    kStepTimeView | kBenchmarkView | kRankViews;
inline constexpr ViewSet kSketchedPartialViews = kPercentileView | kLaunchView;
inline constexpr ViewSet kPartialViews =
    kExactPartialViews | kSketchedPartialViews;
// Those that need steps: without, they are of the window of the whole job.
inline constexpr ViewSet kPartialViewsOfSteps =
    kDeviceView | kModelView | kWaterfallView | kIdleView | kOutlierView;

// The file that was mapped, to notice that it changed.
struct TraceStamp {
  std::string name;        // without folders
  uint64_t bytes = 0;      // with what lies beside a capture
  int64_t changed_ns = 0;  // UTC
  uint64_t hash = 0;       // of the bytes

  friend bool operator==(const TraceStamp&, const TraceStamp&) = default;
};

// What says which job it is of; read first, and of all files.
struct PartialHead {
  TraceStamp stamp;
  FileFacts facts;
};

struct PartialProcess {
  int64_t pid = 0;
  int64_t rank = -1;
  std::string name;
  std::string host;
  uint32_t source = 0;
  int64_t start_ns = 0;
  std::vector<std::pair<std::string, std::string>> metadata;
};

struct PartialFlops {
  std::string name;
  FlopsRow row;  // without name
};

// What is asked of a trace. `sketch`: percentiles too.
struct MapOptions {
  ViewSet views = kPartialViews;
  bool sketch = true;
};

struct PartialBody {
  std::vector<Source> sources;
  std::vector<PartialProcess> processes;
  EventFacts events;
  Interval window;          // recorded
  bool has_window = false;  // it, or events
  Interval events_span;     // from the first to the last event
  double cpu_process = -1;
  double cpu_system = -1;
  uint64_t no_launch = 0;
  uint64_t outlives_parent = 0;

  // Steps, of all threads; empty: there were none.
  std::vector<StepRow> steps;  // by thread, then by start
  std::vector<ProcessPeriods> periods;
  std::vector<StepCost> costs;
  int64_t gpu_ns = 0;      // launched in steps: what Model's ratios are of
  int64_t all_gpu_ns = 0;  // what those of ranges and copies are of
  ModelSums model;
  std::vector<DeviceUse> devices;
  Waterfall waterfall;
  std::vector<IdleDevice> idle_devices;

  std::vector<NamedSum> operators;
  int64_t outermost_cpu_ns = 0;
  int64_t outermost_gpu_ns = 0;
  std::optional<NamedSum> lost;  // work whose launch was not recorded
  std::vector<NamedSum> kernels;
  std::vector<NamedSum> user_defined;
  std::vector<NamedSum> memory_manipulation;
  bool memory_of_device = false;
  std::vector<NamedSum> python;
  std::vector<PartialFlops> flops;
  int64_t total_flops = 0;
  int64_t step_flops = 0;      // as StepFlops has it
  int64_t counted_gpu_ns = 0;  // the same
  LaunchStats launch;
  DurationSketch launch_calls;
  DurationSketch launch_delays;

  FileDigest digest;  // of the ranks

  bool has_steps() const { return !steps.empty(); }
};

struct Partial {
  PartialHead head;
  PartialBody body;
};

// The body of a trace's partial.
PartialBody MapTrace(const Trace& trace, const MapOptions& options);

// A partial may be carried elsewhere: it does not keep the path of its trace.
void ReplacePath(const std::string& path, const std::string& by,
                 PartialBody& body);

}  // namespace stepscope
