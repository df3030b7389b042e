// SPDX-License-Identifier: Apache-2.0
#include "server/events/event_relations.h"

#include <algorithm>

#include "analysis/kinds.h"

namespace stepscope::server {
namespace {

// Rows looked at for a neighbour before giving up.
constexpr Row kMostSteps = 2'000'000;

}  // namespace

Row LowerBound(const Trace& trace, const Track& track, int64_t time_ns) {
  const auto starts =
      trace.start_ns().subspan(track.first, track.last - track.first);
  return track.first +
         static_cast<Row>(
             std::lower_bound(starts.begin(), starts.end(), time_ns) -
             starts.begin());
}

Row PreviousOnLine(const Trace& trace, Row row) {
  const Nesting& nesting = trace.nesting();
  const Track& track = trace.tracks()[trace.track()[row]];
  const uint32_t depth = nesting.depth[row];
  Row at = row;
  for (Row steps = 0; at > track.first && steps < kMostSteps; ++steps) {
    --at;
    while (nesting.depth[at] > depth) at = nesting.parent[at];
    if (nesting.depth[at] == depth) return at;
  }
  return kNoRow;
}

Row NextOnLine(const Trace& trace, Row row) {
  const Nesting& nesting = trace.nesting();
  const Track& track = trace.tracks()[trace.track()[row]];
  Row at = std::max(row + 1, LowerBound(trace, track, trace.end_ns(row)));
  for (Row steps = 0; at < track.last && steps < kMostSteps; ++at, ++steps)
    if (nesting.depth[at] == nesting.depth[row]) return at;
  return kNoRow;
}

uint64_t CountChildren(const Trace& trace, Row row, uint64_t most) {
  const Nesting& nesting = trace.nesting();
  const Track& track = trace.tracks()[trace.track()[row]];
  const int64_t end = trace.end_ns(row);
  uint64_t count = 0;
  for (Row at = row + 1; at < track.last && trace.start_ns()[at] < end &&
                         nesting.depth[at] > nesting.depth[row];
       ++at) {
    if (nesting.parent[at] == row && ++count == most) break;
  }
  return count;
}

Row InnermostAt(const Trace& trace, uint32_t track_index, int64_t time_ns) {
  const Track& track = trace.tracks()[track_index];
  Row row = LowerBound(trace, track, time_ns + 1);
  if (row == track.first) return kNoRow;
  for (--row; row != kNoRow; row = trace.nesting().parent[row])
    if (trace.end_ns(row) >= time_ns) return row;
  return kNoRow;
}

Row LaunchOf(const EventTree& tree, Row row) {
  if (!IsDeviceWork(tree.trace().type()[row])) return kNoRow;
  for (const DeviceWork& work : tree.work())
    if (work.row == row) return work.launch;
  return kNoRow;
}

LaunchedWork LaunchedBy(const EventTree& tree, Row row, size_t most) {
  const Trace& trace = tree.trace();
  LaunchedWork launched;
  const uint32_t thread = tree.thread_of(row);
  if (thread == kNoThread) return launched;
  const int64_t start = trace.start_ns()[row];
  const int64_t end = trace.end_ns(row);
  for (const DeviceWork& work : tree.work()) {
    if (work.launch == kNoRow || work.row == row) continue;
    const int64_t at = trace.start_ns()[work.launch];
    if (work.launch != row &&
        (at < start || at >= end || tree.thread_of(work.launch) != thread))
      continue;
    ++launched.count;
    if (launched.rows.size() < most) launched.rows.push_back(work.row);
  }
  return launched;
}

const StepInterval* StepOf(const OpenTrace& open, Row row) {
  const EventTree& tree = open.tree();
  const Trace& trace = open.trace();
  const uint32_t process = trace.tracks()[trace.track()[row]].process;
  const uint32_t main = open.steps().main_thread(process);
  if (main == kNoThread) return nullptr;
  const Row launch = LaunchOf(tree, row);
  const int64_t time = trace.start_ns()[launch == kNoRow ? row : launch];
  const auto steps = open.steps().steps_of(main);
  const auto after = std::partition_point(
      steps.begin(), steps.end(),
      [&](const StepInterval& step) { return step.range.begin <= time; });
  if (after == steps.begin()) return nullptr;
  const StepInterval& step = *(after - 1);
  return time < step.range.end || after != steps.end() ? &step : nullptr;
}

std::vector<Arrow> ArrowsOf(const Trace& trace, Row row, size_t most) {
  std::vector<Arrow> arrows;
  const uint32_t track = trace.track()[row];
  const int64_t start = trace.start_ns()[row];
  const int64_t end = trace.end_ns(row);
  const std::vector<Flow>& flows = trace.flows();
  const auto first = std::lower_bound(
      flows.begin(), flows.end(), start,
      [](const Flow& flow, int64_t time) { return flow.time_ns < time; });
  for (auto mine = first; mine != flows.end() && mine->time_ns <= end; ++mine) {
    if (mine->track != track || InnermostAt(trace, track, mine->time_ns) != row)
      continue;
    for (const Flow& other : flows) {
      if (&other == &*mine || other.id != mine->id ||
          other.name != mine->name || other.phase == mine->phase)
        continue;
      const Row to = InnermostAt(trace, other.track, other.time_ns);
      if (to == kNoRow || to == row) continue;
      arrows.push_back({to, mine->phase < other.phase});
      if (arrows.size() == most) return arrows;
    }
  }
  return arrows;
}

}  // namespace stepscope::server
