// SPDX-License-Identifier: Apache-2.0
//
// The summary of a trace: every table, computed once. Shown by report/.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/advice/advice.h"
#include "analysis/counters/step_energy.h"
#include "analysis/event_tree.h"
#include "analysis/ranks/rank_job.h"
#include "analysis/serving/iterations.h"
#include "analysis/serving/requests.h"
#include "analysis/steps.h"
#include "analysis/summary_options.h"
#include "analysis/tables/benchmark.h"
#include "analysis/tables/critical_path.h"
#include "analysis/tables/device.h"
#include "analysis/tables/distribution.h"
#include "analysis/tables/flops.h"
#include "analysis/tables/idle.h"
#include "analysis/tables/kernel.h"
#include "analysis/tables/launch.h"
#include "analysis/tables/memory.h"
#include "analysis/tables/model.h"
#include "analysis/tables/operator.h"
#include "analysis/tables/outliers.h"
#include "analysis/tables/overview.h"
#include "analysis/tables/python.h"
#include "analysis/tables/step_time.h"
#include "analysis/tables/user_defined.h"
#include "analysis/tables/waterfall.h"

namespace stepscope {

class MeasuredGroups;
struct MeasuredWork;

// One step, for the list of them.
struct StepRow {
  int64_t index = 0;
  int64_t start_ns = 0;
  int64_t dur_ns = 0;
  int64_t period_ns = 0;
  std::optional<int64_t> device_start_ns;  // none: it launched nothing
  std::optional<int64_t> device_end_ns;
  bool warmup = false;
  std::optional<int64_t> rank = {};  // of its process, where one is stated
  const MeasuredWork* measured = nullptr;  // of Summary::measured
  std::optional<EnergyOfStep> energy = {};
};

// What the notes say about the events of the trace.
struct EventFacts {
  bool any = false;                         // events, or memory events
  uint64_t open = 0;                        // still open at the end
  uint64_t dropped = 0;                     // while recording
  std::map<uint32_t, uint64_t> dropped_of;  // the same by source; not in files
};
EventFacts CountEvents(const Trace& trace);

// Refers to the trace that it was computed from. Tables of views that were
// not asked for are empty.
struct Summary {
  const Trace* trace = nullptr;
  EventFacts events;
  std::shared_ptr<const Trace> chosen_steps;  // owns that, if it was made here
  std::string left_out;  // which steps were, as a sentence; empty: none
  bool has_steps = false;
  bool thread_sep = false;  // operators and user_defined are per thread
  // The earliest time of the whole trace, whatever steps were chosen.
  int64_t origin_ns = 0;
  int64_t total_ns = 0;    // what ratios are of: steps, else recorded window
  uint64_t no_launch = 0;  // device events whose launch was not recorded
  // Host events that end after the event in which they began.
  uint64_t outlives_parent = 0;
  std::vector<StepRow> steps;  // by start; all that were recorded
  // What hardware counters say of the work; null: the trace has none.
  std::shared_ptr<const MeasuredGroups> measured;
  std::vector<EnergyRow> energy;  // of all that was recorded
  StepTime step_time;
  std::vector<DeviceRow> device;
  Overview overview;
  std::vector<ModelRow> model;
  Distribution distribution;
  std::vector<OperatorGroup> operators;
  std::vector<KernelRow> kernel;
  std::vector<NamedRow> memory_manipulation;
  std::vector<ThreadRows> user_defined;
  // Owns names of these.
  std::shared_ptr<const std::deque<std::string>> group_names;
  std::vector<PythonRow> python;
  std::vector<MemoryPlace> memory;
  Benchmark benchmark;
  Waterfall waterfall;
  Idle idle;
  LaunchStats launch;
  IterationTable iterations;
  RequestTable requests;
  std::vector<OutlierRow> outliers;
  FlopsTable flops;
  CriticalPathTable critical_path;
  RankJob ranks;  // of a job of several; collectives of one rank, too
  Advice advice;
  std::vector<std::string> step_notes;  // the first of `notes`: of the steps
  // What a reader must know before trusting the numbers: no steps, loss,
  // events still open. One sentence each.
  std::vector<std::string> notes;
};

// Fails where `options.steps` are none of the recorded ones.
Result<Summary> ComputeSummaryOfSteps(const Trace& trace,
                                      const SummaryOptions& options);
// The same of everything that was recorded, whatever `options.steps` are.
Summary ComputeSummary(const Trace& trace, const SummaryOptions& options);

}  // namespace stepscope
