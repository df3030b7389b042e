// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/launch.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/duration_sketch.h"
#include "analysis/kinds.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/common_columns.h"

namespace stepscope {
namespace {

// Values of a series, kept for its percentiles.
class Series {
 public:
  Series(size_t room, LaunchSeries& result) : values_(room), result_(result) {}

  void Add(int64_t ns) {
    ++result_.count;
    result_.time.Add(ns);
    values_.Add(ns);
  }
  void Finish(bool sketch) {
    const TimeStats& time = result_.time;
    const bool equal = time.min_ns == time.max_ns;
    result_.spread = equal ? SpreadOfEqual(time.max_ns, result_.count)
                           : values_.ComputeSpread();
    if (!sketch) return;
    result_.spread.sketch = std::make_shared<const DurationSketch>(
        equal ? DurationSketch::OfEqual(time.max_ns, result_.count)
              : values_.ComputeSketch());
  }

 private:
  Durations values_;
  LaunchSeries& result_;
};

// Launch calls that no device event refers to.
uint64_t CountWithoutWork(const EventTree& tree, NameClasses& names,
                          const std::vector<bool>& launched) {
  const Trace& trace = tree.trace();
  const auto type = trace.type();
  uint64_t count = 0;
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kThread) continue;
    if ((tree.census().types(i) & kApiCallTypes) == 0) continue;
    for (Row row = track.first; row < track.last; ++row) {
      if (!IsApiCall(type[row]) || launched[row]) continue;
      count += names.launch_call(trace.name()[row]);
    }
  }
  return count;
}

}  // namespace

LaunchStats ComputeLaunches(const EventTree& tree, NameClasses& names,
                            bool sketch) {
  const Trace& trace = tree.trace();
  const auto start = trace.start_ns();
  const auto dur = trace.dur_ns();
  LaunchStats result;
  result.device_events = tree.work().size();
  result.without_launch = tree.orphans();
  if (tree.work().empty()) return result;

  std::vector<bool> launched(trace.size());
  Series calls(tree.work().size(), result.call);
  Series delays(tree.work().size(), result.queue_delay);
  uint32_t stream = kNoThread;
  int64_t stream_until = INT64_MIN;
  for (const DeviceWork& work : tree.work()) {
    const uint32_t track = trace.track()[work.row];
    const bool follows = track == stream;
    if (!follows) stream_until = INT64_MIN;
    const int64_t idle_since = stream_until;
    stream = track;
    stream_until = std::max(stream_until, tree.end_ns(work.row));
    if (work.launch == kNoRow) continue;
    const int64_t called = start[work.launch];
    result.early += start[work.row] < called;
    // A graph is one launch, however many kernels it has: what comes after
    // the first of them waits for that, not for the host.
    if (launched[work.launch]) continue;
    launched[work.launch] = true;
    calls.Add(dur[work.launch]);
    if (follows) {
      ++result.followers;
      result.launch_bound += idle_since <= called;
    }
    delays.Add(std::max<int64_t>(
        0, SaturatingSubtract(start[work.row], tree.end_ns(work.launch))));
    if (trace.type()[work.row] == STEPSCOPE_KERNEL &&
        trace.type()[work.launch] != STEPSCOPE_GRAPH_LAUNCH &&
        tree.gpu_ns(work.launch) < dur[work.launch]) {
      ++result.short_kernels;
      result.short_kernels_ns =
          SaturatingAdd(result.short_kernels_ns, dur[work.row]);
      result.short_calls_ns =
          SaturatingAdd(result.short_calls_ns, dur[work.launch]);
    }
  }
  result.launches_without_work = CountWithoutWork(tree, names, launched);
  calls.Finish(sketch);
  delays.Finish(sketch);
  return result;
}

namespace {

void AddLaunchSeries(ColumnsOf<LaunchStats>& columns, const std::string& name,
                     const std::string& what,
                     LaunchSeries LaunchStats::*series) {
  columns.Count(name + ".count", "how many there were",
                [=](const LaunchStats& row) { return (row.*series).count; });
  columns.Time(
      name + ".total_ns", Adds::kSum, what + ", together",
      [=](const LaunchStats& row) { return (row.*series).time.total_ns; });
  columns.Time(name + ".avg_ns", what + ", on average",
               [=](const LaunchStats& row) {
                 const LaunchSeries& of = row.*series;
                 return AverageNs(of.time.total_ns, of.count);
               });
  columns.Time(
      name + ".max_ns", what + ", the longest",
      [=](const LaunchStats& row) { return (row.*series).time.max_ns; });
  columns.Time(
      name + ".min_ns", what + ", the shortest",
      [=](const LaunchStats& row) { return (row.*series).time.min_or_zero(); });
  AddSpread(columns, name, [=](const LaunchStats& row) -> const Spread& {
    return (row.*series).spread;
  });
}

}  // namespace

TableSchema DeclareLaunchTable() {
  ColumnsOf<LaunchStats> columns;
  columns.Count("device_events", "kernels, copies and sets",
                &LaunchStats::device_events);
  columns.Count("without_launch", "of these, without a recorded launch",
                &LaunchStats::without_launch);
  columns
      .Count("launches_without_work", "launching calls, no device event",
             &LaunchStats::launches_without_work)
      .As("Launches without work");
  AddLaunchSeries(columns, "call", "time of the launching calls",
                  &LaunchStats::call);
  AddLaunchSeries(columns, "queue_delay",
                  "end of the call to begin of the work",
                  &LaunchStats::queue_delay);
  columns
      .Count("began_before_launch",
             "work that began before its call: clocks disagree",
             &LaunchStats::early)
      .As("Began before their launch");
  columns
      .Count("short_kernels", "kernels that took less than their launch",
             &LaunchStats::short_kernels)
      .As("Short kernels");
  columns
      .Time("short_kernels_ns", Adds::kSum, "time of these kernels",
            &LaunchStats::short_kernels_ns)
      .As("Time of short kernels");
  columns
      .Time("short_kernels_call_ns", Adds::kSum, "time of their launches",
            &LaunchStats::short_calls_ns)
      .As("Launches of short kernels");
  columns
      .Count("launch_bound", "launches that found their stream empty",
             &LaunchStats::launch_bound)
      .As("Found the stream empty");
  columns
      .Count("launch_bound_of", "launches that were not the stream's first",
             &LaunchStats::followers)
      .As("Launches but the first");
  columns
      .Ratio("launch_bound_ratio", "launch_bound / launch_bound_of",
             &LaunchStats::launch_bound_ratio)
      .As("Share that found it empty");
  return {
      .key = "launch",
      .title = "Launch",
      .meaning = "does the device wait for launches?",
      .view = kLaunchView,
      .json_views = kLaunchView,
      .shape = TableShape::kOne,
      .columns = columns.Take(),
      .rows =
          [](const Summary& s) {
            return s.launch.device_events == 0 ? RowList()
                                               : RowList::One(s.launch);
          },
      .nothing = [](const Summary& s) { return s.launch.device_events == 0; }};
}

}  // namespace stepscope
