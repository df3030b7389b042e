// SPDX-License-Identifier: Apache-2.0
#include "analysis/stage_events.h"

#include <stepscope/c.h>

#include <algorithm>
#include <new>
#include <span>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/steps.h"
#include "trace/build/trace_builder.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

// The builder may hold the lanes of a thread as one track.
uint32_t TrackOf(TraceBuilder& builder, const Thread& thread) {
  for (uint32_t i = 0; i < builder.track_count(); ++i) {
    const Track& track = builder.track(i);
    if (track.kind == TrackKind::kThread && track.process == thread.process &&
        track.id == thread.id && track.lane == 0)
      return i;
  }
  return kNoThread;
}

bool Crosses(const Interval& a, const Interval& b) {
  return a.begin < b.end && b.begin < a.end &&
         (a.begin < b.begin) == (a.end < b.end) && a.begin != b.begin &&
         a.end != b.end;
}

// REQUIRES: stages are of one thread, by start, and apart from each other.
bool CrossesAny(const EventTree& tree, std::span<const StepInterval> stages) {
  bool crosses = false;
  tree.threads().ForEachRow(stages.front().thread, [&](Row row) {
    const Interval event{tree.trace().start_ns()[row], tree.end_ns(row)};
    // All stages but the first and the last that it meets are inside it.
    const auto first = std::partition_point(
        stages.begin(), stages.end(), [&](const StepInterval& stage) {
          return stage.range.end <= event.begin;
        });
    const auto last = std::partition_point(
        first, stages.end(), [&](const StepInterval& stage) {
          return stage.range.begin < event.end;
        });
    if (first == last) return;
    crosses = crosses || Crosses(event, first->range) ||
              Crosses(event, last[-1].range);
  });
  return crosses;
}

// Without the kinds that cross an event of a thread.
std::vector<StepInterval> FindConcluded(const EventTree& tree,
                                        const StepTable& steps) {
  std::vector<StepInterval> concluded;
  std::vector<StepInterval> of_kind;
  const auto all = steps.stages();
  for (const uint16_t type : {STEPSCOPE_FORWARD, STEPSCOPE_BACKWARD}) {
    for (size_t i = 0; i < all.size(); ++i) {
      const StepInterval& stage = all[i];
      if (stage.type == type && stage.inferred &&
          tree.trace().type()[stage.row] != type)
        of_kind.push_back(stage);
      const bool ends =
          i + 1 == all.size() || all[i + 1].thread != stage.thread;
      if (!ends || of_kind.empty()) continue;
      if (!CrossesAny(tree, of_kind))
        concluded.insert(concluded.end(), of_kind.begin(), of_kind.end());
      of_kind.clear();
    }
  }
  return concluded;
}

Result<std::shared_ptr<const Trace>> Copy(
    const EventTree& tree, const std::vector<StepInterval>& concluded) {
  const Trace& trace = tree.trace();
  TraceBuilder builder;
  builder.SetEpoch({trace.epoch_ns(), trace.clock().epoch_known});
  builder.Add(trace, {});
  uint32_t thread = kNoThread;
  uint32_t track = kNoThread;
  for (const StepInterval& stage : concluded) {
    if (stage.thread != thread) {
      thread = stage.thread;
      track = TrackOf(builder, tree.threads()[thread]);
    }
    if (track == kNoThread) continue;
    builder.AddEvent({track, stage.range.begin,
                      SaturatingSubtract(stage.range.end, stage.range.begin),
                      builder.Intern(EventTypeName(stage.type)), stage.type,
                      kEventInferred});
  }
  return builder.Finish();
}

}  // namespace

Result<std::shared_ptr<const Trace>> AddStageEvents(const Trace& trace) {
  try {
    const EventTree tree(trace);
    const StepTable steps(tree);
    const std::vector<StepInterval> concluded = FindConcluded(tree, steps);
    if (concluded.empty()) return std::shared_ptr<const Trace>();
    return Copy(tree, concluded);
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kIo, "not enough memory for the stages");
  }
}

}  // namespace stepscope
