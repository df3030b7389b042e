// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/stream_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

// Work that starts so soon after what it follows was held up by that.
constexpr int64_t kNextNs = 3'000;
constexpr int64_t kLongestLagNs = 30'000;  // after the end of the launch
constexpr int64_t kCrossNs = 15'000;       // event -> work of another stream

int64_t MedianOf(std::vector<int64_t>& values, int64_t otherwise) {
  if (values.empty()) return otherwise;
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class StreamMaker {
 public:
  StreamMaker(const EventTree& tree, std::vector<HostLine>& hosts)
      : tree_(tree), trace_(tree.trace()), hosts_(hosts) {}

  StreamLines Make() {
    CollectWork();
    FindLaunches();
    FindTypical();
    SortByStart();
    for (const LineNode& at : order_) TieWork(at);
    return std::move(result_);
  }

 private:
  DraftNode& NodeAt(const LineNode& at) {
    return result_.lines[at.line].nodes[at.index];
  }
  int64_t StartOf(const LineNode& at) { return NodeAt(at).node.at; }
  int64_t EndOf(const LineNode& at) {
    const DraftNode& draft = NodeAt(at);
    return SaturatingAdd(draft.node.at, draft.cost.dur);
  }
  const DraftNode& LaunchOf(const DraftNode& work) const {
    return hosts_[work.other.line].nodes[work.other.index];
  }

  void CollectWork() {
    using Key = std::tuple<uint32_t, std::string_view, int64_t, int64_t>;
    std::map<Key, uint32_t> lines;
    std::vector<uint32_t> line_of_track(trace_.tracks().size(), kNoNode);
    for (const DeviceWork& work : tree_.work()) {
      const uint32_t index = trace_.track()[work.row];
      if (line_of_track[index] == kNoNode) {
        const Track& track = trace_.tracks()[index];
        const Key key(track.process, trace_.str(track.device_type),
                      track.device, track.id);
        const auto [at, added] =
            lines.emplace(key, static_cast<uint32_t>(lines.size()));
        line_of_track[index] = at->second;
        if (added) {
          result_.lines.push_back({track.process, track.device, {}});
        }
      }
      const uint32_t line = line_of_track[index];
      DraftNode draft;
      draft.node.kind = NodeKind::kWork;
      draft.node.row = work.row;
      draft.node.at = trace_.start_ns()[work.row];
      draft.node.line = line;
      draft.cost.dur = std::max<int64_t>(0, trace_.dur_ns()[work.row]);
      draft.other.index = work.launch;  // a row, until FindLaunches()
      result_.lines[line].nodes.push_back(draft);
    }
    for (StreamLine& line : result_.lines) {
      const auto earlier = [](const DraftNode& a, const DraftNode& b) {
        return a.node.at < b.node.at;
      };
      if (!std::is_sorted(line.nodes.begin(), line.nodes.end(), earlier)) {
        std::stable_sort(line.nodes.begin(), line.nodes.end(), earlier);
      }
    }
  }

  // The call that a row is, or is inside of.
  LineNode CallOf(Row row) const {
    const uint32_t thread = tree_.thread_of(row);
    for (uint32_t i = 0; i < hosts_.size(); ++i) {
      if (hosts_[i].thread != thread) continue;
      const HostLine& line = hosts_[i];
      const int64_t time = trace_.start_ns()[row];
      const auto after = std::partition_point(
          line.calls.begin(), line.calls.end(), [&](uint32_t call) {
            return line.nodes[call].node.at <= time;
          });
      if (after == line.calls.begin()) return {};
      return {i, after[-1]};
    }
    return {};
  }

  void FindLaunches() {
    for (StreamLine& line : result_.lines) {
      for (DraftNode& draft : line.nodes) {
        const Row row = draft.other.index;
        draft.other = row == kNoRow ? LineNode{} : CallOf(row);
        if (!draft.other.known()) continue;
        DraftNode& call =
            hosts_[draft.other.line].nodes[draft.other.index];
        call.node.flags |= kLaunches;
        draft.key_launch = call.node.at;
      }
    }
  }

  void FindTypical() {
    std::vector<int64_t> gaps;
    std::vector<int64_t> lags;
    std::vector<int64_t> calls;
    for (const StreamLine& line : result_.lines) {
      int64_t free = INT64_MIN;
      for (const DraftNode& draft : line.nodes) {
        const int64_t at = draft.node.at;
        if (draft.other.known()) {
          const int64_t launch = LaunchOf(draft).node.at;
          calls.push_back(LaunchOf(draft).cost.dur);
          if (SaturatingAdd(launch, kLongestLagNs) < free) {
            if (at >= free) gaps.push_back(at - free);
          } else if (free < launch && at >= launch) {
            lags.push_back(at - launch);
          }
        }
        free = std::max(free, SaturatingAdd(at, draft.cost.dur));
      }
    }
    TypicalDelays& typical = result_.typical;
    typical.gap_ns = std::min(MedianOf(gaps, typical.gap_ns), 3 * kNextNs);
    typical.lag_ns = std::min(MedianOf(lags, typical.lag_ns), kLongestLagNs);
    typical.call_ns = MedianOf(calls, typical.call_ns);
  }

  void SortByStart() {
    for (uint32_t i = 0; i < result_.lines.size(); ++i) {
      const auto count = static_cast<uint32_t>(result_.lines[i].nodes.size());
      for (uint32_t j = 0; j < count; ++j) order_.push_back({i, j});
    }
    if (result_.lines.size() > 1) {
      std::stable_sort(order_.begin(), order_.end(),
                       [&](const LineNode& a, const LineNode& b) {
                         return StartOf(a) < StartOf(b);
                       });
    }
    last_of_line_.resize(result_.lines.size());
    for (const HostLine& host : hosts_) {
      result_.last_of_launch.emplace_back(host.nodes.size());
    }
  }

  // In the order of recorded starts.
  void TieWork(const LineNode& self) {
    DraftNode& draft = NodeAt(self);
    const int64_t at = draft.node.at;
    draft.key = at;
    if (draft.other.known()) draft.key = std::max(at, LaunchOf(draft).key);
    const uint32_t process = result_.lines[self.line].process;
    LineNode& last = last_of_line_[self.line];
    draft.prev = last;
    if (draft.other.known() && InsideLaunch(self, draft)) {
      draft.node.flags |= kInsideLaunch;
    } else if (!last.known()) {
      TieFirst(draft);
    } else {
      TieNext(draft, process);
    }
    if (!last.known() || EndOf(self) >= EndOf(last)) last = self;
  }

  // Work of a graph follows the graph's own order, not the host's.
  bool InsideLaunch(const LineNode& self, DraftNode& draft) {
    LineNode& before =
        result_.last_of_launch[draft.other.line][draft.other.index];
    const bool inside = before.known();
    if (inside) {
      draft.prev = before;
      const int64_t at = draft.node.at;
      const int64_t end = EndOf(before);
      if (end > at) draft.node.flags |= kFromStart;
      draft.cost.gap = at - (end > at ? StartOf(before) : end);
      draft.cost.lag = std::min(result_.typical.lag_ns,
                                at - LaunchOf(draft).node.at);
    }
    if (!inside || EndOf(self) >= EndOf(before)) before = self;
    return inside;
  }

  void TieFirst(DraftNode& draft) {
    const int64_t at = draft.node.at;
    if (!draft.other.known()) {
      draft.cost.gap = at;  // until the origin is known
      return;
    }
    draft.cost.gap = kNever;
    draft.cost.lag = SaturatingSubtract(at, LaunchOf(draft).node.at);
  }

  void TieNext(DraftNode& draft, uint32_t process) {
    const TypicalDelays& typical = result_.typical;
    const int64_t at = draft.node.at;
    const int64_t free = EndOf(draft.prev);
    if (free > at) {  // overlaps: not in order, as some recorders show it
      draft.node.flags |= kFromStart;
      draft.cost.gap = at - StartOf(draft.prev);
      if (draft.other.known()) {
        draft.cost.lag =
            std::min(typical.lag_ns, at - LaunchOf(draft).node.at);
      }
      return;
    }
    const int64_t gap = at - free;
    if (!draft.other.known()) {
      draft.cost.gap = gap;
      if (gap > kNextNs) AddUnexplained(gap - typical.gap_ns);
      return;
    }
    const DraftNode& call = LaunchOf(draft);
    const int64_t lag = SaturatingSubtract(at, call.node.at);
    if (gap <= typical.gap_ns + kNextNs && lag > typical.lag_ns) {
      draft.cost.gap = gap;
      draft.cost.lag = std::min(typical.lag_ns, lag);
      return;
    }
    draft.cost.gap = std::min(typical.gap_ns, gap);
    draft.cost.lag = lag;
    const int64_t late =
        lag - std::max(call.cost.dur, typical.lag_ns) - kLongestLagNs;
    if (late <= 0) return;
    if (const LineNode from = EndedJustBefore(at, process); from.known()) {
      draft.cross = from;
      draft.cross_lag = at - EndOf(from);
      draft.cost.lag = typical.lag_ns;
      return;
    }
    AddUnexplained(std::min(late, gap));
  }

  // The work of the process that ended last, if that was just before a time.
  LineNode EndedJustBefore(int64_t time, uint32_t process) {
    LineNode found;
    int64_t latest = SaturatingSubtract(time, kCrossNs);
    for (uint32_t i = 0; i < last_of_line_.size(); ++i) {
      const LineNode& last = last_of_line_[i];
      if (!last.known() || result_.lines[i].process != process) continue;
      const int64_t end = EndOf(last);
      if (end > time || end <= latest) continue;
      latest = end;
      found = last;
    }
    return found;
  }

  void AddUnexplained(int64_t ns) {
    if (ns <= 0) return;
    result_.unexplained_ns = SaturatingAdd(result_.unexplained_ns, ns);
  }

  const EventTree& tree_;
  const Trace& trace_;
  std::vector<HostLine>& hosts_;
  StreamLines result_;
  std::vector<LineNode> order_;
  std::vector<LineNode> last_of_line_;  // ends last so far
};

}  // namespace

StreamLines MakeStreamLines(const EventTree& tree,
                            std::vector<HostLine>& hosts) {
  return StreamMaker(tree, hosts).Make();
}

}  // namespace stepscope
