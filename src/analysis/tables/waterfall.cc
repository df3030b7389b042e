// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/waterfall.h"

#include <utility>

#include "analysis/stats.h"

namespace stepscope {

double Waterfall::coverage() const {
  return step_ns == 0 ? 0 : 1 - Ratio(part(StepPart::kUnexplained), step_ns);
}

void WaterfallTable::Add(const StepWindow& window) {
  if (result_.steps.empty() ||
      result_.steps.back().process != window.process) {
    ++result_.processes;
  }
  StepParts step;
  step.index = window.step == nullptr ? -1 : window.step->index;
  step.process = window.process;
  step.row = window.step == nullptr ? kNoRow : window.step->row;
  step.range = window.range;
  step.part_ns = window.part_ns;
  for (size_t i = 0; i < kStepParts; ++i) {
    result_.part_ns[i] = SaturatingAdd(result_.part_ns[i], step.part_ns[i]);
    result_.step_ns = SaturatingAdd(result_.step_ns, step.part_ns[i]);
  }
  result_.steps.push_back(step);
}

Waterfall WaterfallTable::Finish(const EventTree& tree,
                                 const StepTable& steps) {
  result_.device_events = tree.work().size();
  result_.device_events_launched = tree.work().size() - tree.orphans();
  for (const Track& track : tree.trace().tracks()) {
    if (track.kind != TrackKind::kThread) continue;
    result_.host_events += track.last - track.first;
  }
  const size_t windows = steps.steps().empty() ? 0 : result_.steps.size();
  result_.other_threads_steps = steps.steps().size() - windows;
  return std::move(result_);
}

}  // namespace stepscope
