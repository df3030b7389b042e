// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/replay/lines.h"

namespace stepscope {
namespace {

// A launch of this long ago has nothing to do with when its work starts.
constexpr int64_t kLongAgoNs = 30'000;
constexpr int64_t kLongestGapNs = 9'000;
constexpr int64_t kLongestCallNs = 20'000;  // of a launch into a free queue

int64_t MedianOr(std::vector<int64_t>& values, int64_t otherwise) {
  if (values.empty()) return otherwise;
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void CollectWork(const EventTree& tree, Lines& lines) {
  const Trace& trace = tree.trace();
  using Key = std::tuple<uint32_t, std::string_view, int64_t, int64_t>;
  std::map<Key, uint32_t> streams;
  std::vector<uint32_t> line_of_track(trace.tracks().size(), kNoNode);
  for (uint32_t i = 0; i < tree.work().size(); ++i) {
    const uint32_t index = trace.track()[tree.work()[i].row];
    uint32_t& line = line_of_track[index];
    if (line == kNoNode) {
      const Track& track = trace.tracks()[index];
      const Key key(track.process, trace.str(track.device_type), track.device,
                    track.id);
      line = streams.emplace(key, static_cast<uint32_t>(streams.size()))
                 .first->second;
      if (line == lines.streams.size())
        lines.streams.push_back({track.process, {}});
    }
    lines.streams[line].work.push_back(i);
  }
  const auto start = trace.start_ns();
  const auto earlier = [&](uint32_t a, uint32_t b) {
    return start[tree.work()[a].row] < start[tree.work()[b].row];
  };
  for (StreamLine& line : lines.streams)
    if (!std::is_sorted(line.work.begin(), line.work.end(), earlier))
      std::stable_sort(line.work.begin(), line.work.end(), earlier);
}

// Finds the call that a row is, or is inside of.
class HostCallFinder {
 public:
  HostCallFinder(const EventTree& tree, const Lines& lines)
      : tree_(tree), lines_(lines), line_of_(tree.threads().size(), kNoNode) {
    for (uint32_t i = 0; i < lines.hosts.size(); ++i)
      line_of_[lines.hosts[i].thread] = i;
  }

  HostIndex Find(Row row) const {
    const uint32_t thread = tree_.thread_of(row);
    if (thread == kNoThread || line_of_[thread] == kNoNode) return kNoNode;
    const HostLine& line = lines_.hosts[line_of_[thread]];
    const int64_t time = tree_.trace().start_ns()[row];
    const auto after = std::partition_point(
        line.calls.begin(), line.calls.end(),
        [&](uint32_t call) { return line.nodes[call].at <= time; });
    if (after == line.calls.begin()) return kNoNode;
    return lines_.first[line_of_[thread]] + after[-1];
  }

 private:
  const EventTree& tree_;
  const Lines& lines_;
  std::vector<uint32_t> line_of_;  // by thread
};

void ConnectLaunches(const EventTree& tree, Lines& lines) {
  lines.launch.assign(tree.work().size(), kNoNode);
  lines.last_work.assign(lines.first.back(), kNoNode);
  const HostCallFinder finder(tree, lines);
  uint32_t line = 0;
  for (uint32_t i = 0; i < tree.work().size(); ++i) {
    const DeviceWork& work = tree.work()[i];
    if (work.launch == kNoRow) continue;
    const HostIndex call = finder.Find(work.launch);
    lines.launch[i] = call;
    if (call == kNoNode) continue;
    lines.node(call, line).flags |= kLaunchCall;
    uint32_t& last = lines.last_work[call];
    if (last == kNoNode ||
        tree.end_ns(work.row) >= tree.end_ns(tree.work()[last].row))
      last = i;
  }
}

void FindTypical(const EventTree& tree, Lines& lines) {
  const Trace& trace = tree.trace();
  std::vector<int64_t> gaps;
  std::vector<int64_t> lags;
  std::vector<int64_t> calls;
  uint32_t host = 0;
  for (const StreamLine& line : lines.streams) {
    int64_t free = INT64_MIN;
    for (const uint32_t i : line.work) {
      const Row row = tree.work()[i].row;
      const int64_t at = trace.start_ns()[row];
      if (lines.launch[i] != kNoNode) {
        const HostNode& call = lines.node(lines.launch[i], host);
        calls.push_back(trace.dur_ns()[call.row]);
        if (SaturatingAdd(call.at, kLongAgoNs) < free) {
          if (at >= free) gaps.push_back(at - free);
        } else if (free < call.at && at >= call.at) {
          lags.push_back(at - call.at);
        }
      }
      free = std::max(free, tree.end_ns(row));
    }
  }
  TypicalDelays& typical = lines.typical;
  typical.gap_ns = std::min(MedianOr(gaps, typical.gap_ns), kLongestGapNs);
  typical.lag_ns = std::min(MedianOr(lags, typical.lag_ns), kLongAgoNs);
  typical.call_ns = std::min(MedianOr(calls, typical.call_ns), kLongestCallNs);
}

}  // namespace

void MakeStreamLines(const EventTree& tree, Lines& lines) {
  CollectWork(tree, lines);
  ConnectLaunches(tree, lines);
  FindTypical(tree, lines);
}

}  // namespace stepscope
