// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/rank_digest.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include "analysis/kinds.h"
#include "trace/clock_facts.h"

namespace stepscope {
namespace {

// Goes through a set beside ranges that begin in order and may overlap.
class Cover {
 public:
  explicit Cover(IntervalSet set) : set_(std::move(set)) {}

  int64_t Of(const Interval& range) {
    while (at_ < set_.size() && set_[at_].end <= range.begin) ++at_;
    int64_t sum = 0;
    for (size_t i = at_; i < set_.size() && set_[i].begin < range.end; ++i) {
      sum += std::min(set_[i].end, range.end) -
             std::max(set_[i].begin, range.begin);
    }
    return sum;
  }

 private:
  IntervalSet set_;
  size_t at_ = 0;
};

struct Busy {
  IntervalCollector on_device;
  IntervalSet computing;
  bool has_device = false;
};

// What computes, by process.
std::vector<Busy> FindComputation(const EventTree& tree,
                                  const Communication& communication) {
  const Trace& trace = tree.trace();
  std::vector<Busy> busy(trace.processes().size());
  for (const DeviceWork& work : tree.work()) {
    Busy& process = busy[trace.tracks()[trace.track()[work.row]].process];
    process.has_device = true;
    if (trace.type()[work.row] != STEPSCOPE_KERNEL ||
        communication.IsKernel(work))
      continue;
    process.on_device.Add(trace.start_ns()[work.row], tree.end_ns(work.row));
  }
  std::vector<IntervalSet> on_host = HostComputation(tree, communication);
  for (size_t i = 0; i < busy.size(); ++i) {
    busy[i].computing =
        busy[i].has_device ? busy[i].on_device.Finish() : std::move(on_host[i]);
  }
  return busy;
}

int64_t IdleOf(const RankStep& step, bool has_device) {
  int64_t idle = 0;
  for (size_t i = static_cast<size_t>(StepPart::kLaunchGap); i < kStepParts;
       ++i) {
    // Without a device, the host computes.
    if (!has_device && i == static_cast<size_t>(StepPart::kOtherCpu)) continue;
    idle = SaturatingAdd(idle, step.part_ns[i]);
  }
  return idle;
}

// The steps of a process; they are sorted by it.
std::span<const StepParts> StepsOf(const Waterfall& waterfall,
                                   uint32_t process) {
  const auto first = std::partition_point(
      waterfall.steps.begin(), waterfall.steps.end(),
      [&](const StepParts& step) { return step.process < process; });
  const auto last = std::partition_point(
      first, waterfall.steps.end(),
      [&](const StepParts& step) { return step.process == process; });
  return {first, last};
}

void AddSteps(std::span<const StepParts> steps, const Busy& busy,
              RankDigest& digest) {
  IntervalCollector all;
  IntervalCollector pipeline;
  bool has_pipeline = false;
  for (const RankCall& call : digest.calls.calls) {
    all.Add(call.time.begin, call.time.end);
    if (digest.calls.signatures[call.signature].kind !=
        CollectiveKind::kPointToPoint)
      continue;
    has_pipeline = true;
    pipeline.Add(call.time.begin, call.time.end);
  }
  const IntervalSet& computing = busy.computing;
  const IntervalSet communicating = all.Finish();
  Cover both(Intersection(computing, communicating));
  Cover exchange(Difference(pipeline.Finish(), computing));
  Cover compute(computing);
  Cover communicate(communicating);
  for (const StepParts& parts : steps) {
    RankStep step;
    step.index = parts.index;
    step.range = parts.range;
    step.part_ns = parts.part_ns;
    step.computation_ns = compute.Of(step.range);
    step.communication_ns = communicate.Of(step.range);
    step.overlapped_ns = both.Of(step.range);
    if (has_pipeline) step.pipeline_ns = exchange.Of(step.range);
    step.idle_ns = IdleOf(step, digest.has_device);
    digest.steps.push_back(step);
  }
}

RankClock ClockOf(const Trace& trace, const Process& process) {
  RankClock clock;
  for (const auto& [key, value] : process.metadata) {
    const std::string_view name = trace.str(key);
    const std::string text(trace.str(value));
    if (name == kClockMethodKey) clock.method = text;
    if (name == kClockOffsetKey)
      clock.offset_ns = std::strtoll(text.c_str(), nullptr, 10);
    if (name == kClockDriftKey)
      clock.drift_ppm = std::strtod(text.c_str(), nullptr);
    if (name == kClockErrorKey)
      clock.error_ns = std::strtoll(text.c_str(), nullptr, 10);
  }
  return clock;
}

}  // namespace

bool MayHaveRanks(const Trace& trace) { return trace.processes().size() > 1; }

std::vector<RankDigest> DigestRanks(const EventTree& tree,
                                    const StepTable& steps, NameClasses& names,
                                    const Communication& communication,
                                    const Waterfall& waterfall) {
  const Trace& trace = tree.trace();
  std::vector<RankCalls> calls =
      FindRankCalls(tree, steps, names, communication);
  std::vector<RankHeld> held = FindHeld(tree, names, communication, calls);
  std::vector<Busy> busy = FindComputation(tree, communication);
  std::vector<RankDigest> digests;
  for (uint32_t i = 0; i < calls.size(); ++i) {
    const std::span<const StepParts> parts = StepsOf(waterfall, i);
    const bool stepped =
        std::any_of(parts.begin(), parts.end(),
                    [](const StepParts& step) { return step.index != -1; });
    if (!stepped && calls[i].calls.empty()) continue;
    const Process& process = trace.processes()[i];
    RankDigest digest;
    digest.pid = process.pid;
    digest.host = trace.str(process.host);
    digest.file = trace.source_of(process).path;
    digest.clock = ClockOf(trace, process);
    digest.has_device = busy[i].has_device;
    digest.calls = std::move(calls[i]);
    digest.held = std::move(held[i]);
    AddSteps(parts, std::move(busy[i]), digest);
    digests.push_back(std::move(digest));
  }
  return digests;
}

}  // namespace stepscope
