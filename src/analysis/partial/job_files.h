// SPDX-License-Identifier: Apache-2.0
//
// JobFiles: the partials of a job beside each other, on one clock, and what of
// them is not by name: steps, stages, devices, launches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/partial/partial.h"
#include "trace/build/trace_builder.h"

namespace stepscope {

class JobFiles {
 public:
  JobFiles(std::vector<PartialBody>& files, const SummaryOptions& options);

  bool Wants(ViewSet any_of) const { return bool(views_ & any_of); }
  ViewSet views() const { return views_; }
  bool has_steps() const { return has_steps_; }

  // Of all files: what their processes and sources state, without events.
  void AddTo(TraceBuilder& builder);

  // Lays the files on one clock; before anything below.
  RankJob AnalyseRanks(Alignment how);
  // The earliest time of all files on that clock.
  int64_t origin_ns() const { return origin_ns_.value_or(0); }

  void AddSteps(const Trace& trace, Summary& summary) const;

  int64_t GpuTime() const;     // launched in steps
  int64_t AllGpuTime() const;  // launched whenever
  // From the first begin to the last end of what the files recorded.
  int64_t WindowLength() const;

  ModelSums Model() const;

  std::vector<DeviceUse> Devices() const;

  Waterfall AddUpWaterfall() const;

  std::vector<IdleDevice> IdleDevices() const;

  LaunchStats Launches() const;
  // `table` gets the sums over all rows.
  std::vector<PartialFlops> Flops(FlopsTable& table) const;

  EventFacts Events() const;
  uint64_t WithoutLaunch() const;
  uint64_t OutlivingParent() const;
  bool HasDeviceWork() const;

 private:
  // Beside ranks that step, one that does not has no part in what is of steps.
  bool Counts(const PartialBody& file) const {
    return !has_steps_ || file.has_steps();
  }

  // Where steps take no time, the window stands for them.
  static bool StepsTakeTime(const PartialBody& file);
  // Whose process does not step is measured by the steps of others.
  bool DevicesHaveSteps() const;

  static void AddStage(const ModelSums::Stage& from, ModelSums::Stage& to);

  template <typename Has, typename Get>
  int64_t HullOf(Has has, Get get) const;

  std::vector<PartialBody>& files_;
  const SummaryOptions& options_;
  bool has_steps_ = false;
  ViewSet views_;
  std::vector<uint32_t> first_process_;  // by file
  std::vector<ClockMap> clocks_;         // by file, to the job's
  std::optional<int64_t> origin_ns_;
};

}  // namespace stepscope
