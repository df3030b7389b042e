// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/host_time.h"

#include <algorithm>

#include "analysis/machine_load.h"
#include "base/text.h"

namespace stepscope {

StageTimes StagesOf(const AdviceInput& input, uint32_t thread) {
  IntervalCollector any;
  IntervalCollector training;
  IntervalCollector loader;
  for (const StepInterval& stage : input.steps.stages()) {
    if (stage.thread != thread) continue;
    const auto [begin, end] = stage.range;
    any.Add(begin, end);
    if (stage.type == STEPSCOPE_DATALOADER) loader.Add(begin, end);
    if (stage.type == STEPSCOPE_BACKWARD ||
        stage.type == STEPSCOPE_OPTIMIZATION)
      training.Add(begin, end);
  }
  return {any.Finish(), training.Finish(), loader.Finish()};
}

std::vector<Interval> StepsOf(const AdviceInput& input, uint32_t process) {
  std::vector<Interval> steps;
  for (const StepParts& step : input.waterfall().steps)
    if (step.process == process) steps.push_back(step.range);
  return steps;
}

size_t FirstStepOf(const AdviceInput& input, uint32_t process) {
  const std::vector<StepParts>& steps = input.waterfall().steps;
  return static_cast<size_t>(std::find_if(steps.begin(), steps.end(),
                                          [&](const StepParts& step) {
                                            return step.process == process;
                                          }) -
                             steps.begin());
}

std::optional<ProcessorDemand> DemandInSteps(const AdviceInput& input) {
  Interval window{INT64_MAX, INT64_MIN};
  for (const StepParts& step : input.waterfall().steps) {
    window.begin = std::min(window.begin, step.range.begin);
    window.end = std::max(window.end, step.range.end);
  }
  return FindProcessorDemand(input.trace(), window);
}

DemandParts SplitDemand(const AdviceInput& input,
                        const ProcessorDemand& demand) {
  const std::vector<Track>& tracks = input.trace().tracks();
  DemandParts parts;
  for (const ProcessDemand& one : demand.processes) {
    if (DoesStep(input, one.process)) {
      parts.stepping += one.ready;
      continue;
    }
    parts.workers += one.ready;
    // A shell that started the program has no events.
    parts.worker_processes += static_cast<uint64_t>(
        std::any_of(tracks.begin(), tracks.end(), [&](const Track& track) {
          return track.process == one.process && track.first < track.last;
        }));
  }
  return parts;
}

std::string ProcessorUse(const Trace& trace) {
  const std::optional<MachineLoad> load = FindMachineLoad(trace);
  if (!load) return "";
  std::string text = Format("The job used %.2f of ", load->job) +
                     CountText(load->processors, "processor");
  if (load->busy_threads > load->processors)
    text += ", on " + CountText(load->busy_threads, "busy thread");
  return text + ".";
}

std::string ThreadRemedy(const AdviceInput& input) {
  constexpr double kAboutOne = 1.2;
  constexpr double kMost = 0.85;
  // In the steps, whatever else the machine did.
  if (const auto demand = DemandInSteps(input)) {
    return demand->processors >= 2 && demand->ready < kAboutOne
               ? Format(
                     "more threads (torch.set_num_threads): one of them is "
                     "busy at a time, for %g processors",
                     demand->processors)
               : "";
  }
  const std::optional<MachineLoad> load = FindMachineLoad(input.trace());
  if (!load || load->crowding() > 0 || load->processors < 2) return "";
  const auto processors = static_cast<double>(load->processors);
  if (load->job < kAboutOne) {
    return "more threads (torch.set_num_threads): one is busy, and the other "
           "processors are free";
  }
  if (load->busy_threads > load->processors && load->job > kMost * processors) {
    return "fewer threads (torch.set_num_threads, num_workers): more are busy "
           "than there are processors";
  }
  return "";
}

}  // namespace stepscope
