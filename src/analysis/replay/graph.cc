// SPDX-License-Identifier: Apache-2.0
//
// Merges the lines of threads and streams into one order.
#include "analysis/replay/graph.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>

#include "analysis/kinds.h"
#include "analysis/replay/lines.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

constexpr int64_t kCrossNs = 15'000;  // event -> work of another stream

// Takes the nodes of all lines in the order of time, each with what it waited
// for.
class Merger {
 public:
  Merger(const EventTree& tree, const Lines& lines)
      : tree_(tree), trace_(tree.trace()), lines_(lines) {}

  ReplayGraph Merge() {
    graph_.typical_gap_ns = lines_.typical.gap_ns;
    graph_.typical_lag_ns = lines_.typical.lag_ns;
    graph_.typical_call_ns = lines_.typical.call_ns;
    Start();
    while (!cursors_.empty()) {
      const Cursor at = cursors_.top();
      cursors_.pop();
      if (at.line < lines_.hosts.size())
        TakeHost(at);
      else
        TakeWork(at);
    }
    return std::move(graph_);
  }

 private:
  struct Cursor {
    int64_t key = 0;
    uint32_t line = 0;  // hosts, then streams
    uint32_t index = 0;
    bool waiting = false;                        // the call has begun
    bool operator<(const Cursor& other) const {  // for a queue: latest first
      return std::pair(key, line) > std::pair(other.key, other.line);
    }
  };
  struct HostState {
    uint32_t last = kNoNode;         // of the graph
    int64_t busy_until = INT64_MIN;  // as recorded
    size_t next_join = 0;
    size_t next_wait = 0;
    size_t next_run = 0;
  };

  void Start() {
    const auto hosts = static_cast<uint32_t>(lines_.hosts.size());
    size_t count = tree_.work().size() + lines_.first.back();
    for (const HostLine& host : lines_.hosts) count += host.waits.size();
    graph_.nodes.reserve(count);
    graph_.costs.reserve(count);
    host_.resize(hosts);
    call_begin_.assign(lines_.first.back(), kNoNode);
    call_end_.assign(lines_.first.back(), kNoNode);
    last_of_launch_.assign(lines_.first.back(), kNoNode);
    work_.assign(tree_.work().size(), kNoNode);
    last_of_stream_.assign(lines_.streams.size(), kNoNode);
    graph_.origin_ns = INT64_MAX;
    const auto add = [&](int64_t key, uint32_t line) {
      graph_.origin_ns = std::min(graph_.origin_ns, key);
      cursors_.push({key, line, 0, false});
    };
    for (uint32_t i = 0; i < hosts; ++i) add(lines_.hosts[i].nodes[0].at, i);
    for (uint32_t i = 0; i < lines_.streams.size(); ++i)
      add(StartOf(lines_.streams[i].work[0]), hosts + i);
  }

  int64_t StartOf(uint32_t work) const {
    return trace_.start_ns()[tree_.work()[work].row];
  }
  int64_t EndOf(uint32_t node) const {  // of the graph; a call or work
    return tree_.end_ns(graph_.nodes[node].row);
  }
  // A node that must be there already; kNoNode, counted, if it is not.
  uint32_t Earlier(uint32_t id) {
    if (id == kNoNode) ++graph_.repaired;
    return id;
  }
  uint32_t Push(const ReplayNode& node, const Cost& cost) {
    graph_.nodes.push_back(node);
    graph_.costs.push_back(cost);
    return static_cast<uint32_t>(graph_.nodes.size() - 1);
  }

  void TakeHost(const Cursor& at) {
    const HostLine& line = lines_.hosts[at.line];
    const HostNode& from = line.nodes[at.index];
    HostState& state = host_[at.line];
    const HostIndex index = lines_.first[at.line] + at.index;
    if (at.waiting) {
      call_end_[index] = TakeWait(line, from, state);
    } else {
      const bool waits = state.next_wait < line.waits.size() &&
                         line.waits[state.next_wait].node == at.index;
      const uint32_t id = TakeNode(line, from, at, waits, state);
      call_begin_[index] = call_end_[index] = id;
      if (waits) {
        cursors_.push({std::max(at.key, tree_.end_ns(from.row)), at.line,
                       at.index, true});
        return;
      }
    }
    if (at.index + 1 < line.nodes.size()) {
      cursors_.push({std::max(at.key, line.nodes[at.index + 1].at), at.line,
                     at.index + 1, false});
    }
  }

  uint32_t TakeNode(const HostLine& line, const HostNode& from,
                    const Cursor& at, bool waits, HostState& state) {
    ReplayNode node;
    node.kind = from.kind;
    node.flags = from.flags;
    node.at = from.at;
    node.row = from.row;
    node.line = line.thread;
    node.events = from.events;
    node.prev = state.last;
    if (state.next_run < line.runs.size() &&
        line.runs[state.next_run].node == at.index) {
      TakeRun(line.runs[state.next_run++], state);
      node.flags |= kAfterRun;
    }
    int64_t gap = state.last == kNoNode
                      ? SaturatingSubtract(from.at, graph_.origin_ns)
                      : SaturatingSubtract(from.at, state.busy_until);
    gap = std::max<int64_t>(0, gap);
    Cost cost;
    if (state.next_join < line.joins.size() &&
        line.joins[state.next_join].node == at.index) {
      const Join& join = line.joins[state.next_join++];
      node.other = Earlier(call_end_[lines_.first[join.line] + join.call]);
      if (node.other != kNoNode) {
        cost.lag = join.lag_ns;
        // The wait itself takes no time of this thread.
        gap = state.last == kNoNode ? kNever
                                    : std::max<int64_t>(0, gap - join.wait_ns);
      }
    }
    cost.gap = gap;
    state.busy_until = std::max(state.busy_until, from.at);
    if (from.kind == NodeKind::kCall) {
      if (!waits) cost.dur = std::max<int64_t>(0, trace_.dur_ns()[from.row]);
      state.busy_until = std::max(state.busy_until, tree_.end_ns(from.row));
    }
    return state.last = Push(node, cost);
  }

  // What lies before the node that comes next.
  void TakeRun(const CallRun& run, HostState& state) {
    CallRun taken = run;
    taken.node = static_cast<uint32_t>(graph_.nodes.size());
    graph_.runs.push_back(taken);
    graph_.run_ns.push_back(run.end_ns - graph_.RecordedEnd(state.last));
    state.busy_until = run.end_ns;
  }

  // The end of a call that waits.
  uint32_t TakeWait(const HostLine& line, const HostNode& from,
                    HostState& state) {
    const Wait& wait = line.waits[state.next_wait++];
    ReplayNode node;
    node.kind = NodeKind::kWait;
    node.flags = from.flags;
    node.at = tree_.end_ns(from.row);
    node.row = from.row;
    node.line = line.thread;
    node.prev = state.last;
    node.other = Earlier(work_[wait.work]);
    Cost cost;
    cost.gap = node.other == kNoNode ? trace_.dur_ns()[from.row] : wait.own_ns;
    cost.lag = wait.lag_ns;
    return state.last = Push(node, cost);
  }

  void TakeWork(const Cursor& at) {
    const auto stream = at.line - static_cast<uint32_t>(lines_.hosts.size());
    const StreamLine& line = lines_.streams[stream];
    const uint32_t work = line.work[at.index];
    const HostIndex launch = lines_.launch[work];
    if (launch != kNoNode && !at.waiting) {
      // Not before its launch, even where clocks disagree.
      const int64_t launched = LaunchTime(launch);
      if (launched > at.key) {
        cursors_.push({launched, at.line, at.index, true});
        return;
      }
    }
    const uint32_t id = TieWork(stream, work, launch);
    work_[work] = id;
    if (at.index + 1 < line.work.size()) {
      cursors_.push({std::max(at.key, StartOf(line.work[at.index + 1])),
                     at.line, at.index + 1, false});
    }
  }

  int64_t LaunchTime(HostIndex index) {
    while (index < lines_.first[launch_line_]) --launch_line_;
    while (index >= lines_.first[launch_line_ + 1]) ++launch_line_;
    return lines_.hosts[launch_line_]
        .nodes[index - lines_.first[launch_line_]]
        .at;
  }

  uint32_t TieWork(uint32_t stream, uint32_t work, HostIndex launch) {
    ReplayNode node;
    Cost cost;
    node.kind = NodeKind::kWork;
    node.row = tree_.work()[work].row;
    node.at = trace_.start_ns()[node.row];
    node.line = stream;
    node.prev = last_of_stream_[stream];
    if (launch != kNoNode) node.other = Earlier(call_begin_[launch]);
    cost.dur = std::max<int64_t>(0, trace_.dur_ns()[node.row]);
    if (node.other != kNoNode && last_of_launch_[launch] != kNoNode)
      TieInside(last_of_launch_[launch], node, cost);
    else if (node.prev == kNoNode)
      TieFirst(node, cost);
    else
      TieNext(stream, node, cost);
    const uint32_t id = Push(node, cost);
    const auto keep_later = [&](uint32_t& last) {
      if (last == kNoNode || EndOf(id) >= EndOf(last)) last = id;
    };
    keep_later(last_of_stream_[stream]);
    if (launch != kNoNode) keep_later(last_of_launch_[launch]);
    return id;
  }

  int64_t LagOf(const ReplayNode& node) const {
    return SaturatingSubtract(node.at, graph_.nodes[node.other].at);
  }

  // Work of a graph follows the graph's own order, not the host's.
  void TieInside(uint32_t before, ReplayNode& node, Cost& cost) const {
    node.flags |= kInsideLaunch;
    node.prev = before;
    TieAfter(node, cost);
    cost.lag = std::min(graph_.typical_lag_ns, LagOf(node));
  }

  // To the end of what is before it; where both overlap, to its start.
  void TieAfter(ReplayNode& node, Cost& cost) const {
    const int64_t end = EndOf(node.prev);
    if (end > node.at) node.flags |= kFromStart;
    cost.gap = SaturatingSubtract(
        node.at, end > node.at ? graph_.nodes[node.prev].at : end);
  }

  void TieFirst(const ReplayNode& node, Cost& cost) const {
    if (node.other == kNoNode) {
      cost.gap = SaturatingSubtract(node.at, graph_.origin_ns);
      return;
    }
    cost.gap = kNever;
    cost.lag = LagOf(node);
  }

  void TieNext(uint32_t stream, ReplayNode& node, Cost& cost) {
    TieAfter(node, cost);
    const int64_t gap = cost.gap;
    if (node.other == kNoNode) {
      if (gap > kNextNs) AddUnexplained(gap - graph_.typical_gap_ns);
      return;
    }
    const int64_t lag = LagOf(node);
    cost.lag = std::min(graph_.typical_lag_ns, lag);
    if (node.has(kFromStart)) return;
    if (gap <= graph_.typical_gap_ns + kNextNs && lag > graph_.typical_lag_ns)
      return;  // the stream was busy until then
    cost.gap = std::min(graph_.typical_gap_ns, gap);
    const int64_t call_ns = trace_.dur_ns()[graph_.nodes[node.other].row];
    const int64_t late =
        lag - std::max(call_ns, graph_.typical_lag_ns) - kLongestLagNs;
    if (late > 0) {
      const uint32_t from = EndedJustBefore(stream, node.at);
      if (from != kNoNode) {
        graph_.cross.push_back({static_cast<uint32_t>(graph_.nodes.size()),
                                from, node.at - EndOf(from)});
        return;
      }
      AddUnexplained(std::min(late, gap));
    }
    cost.lag = lag;
  }

  // The work of the same process that ended last, if just before a time.
  uint32_t EndedJustBefore(uint32_t stream, int64_t time) const {
    uint32_t found = kNoNode;
    int64_t latest = SaturatingSubtract(time, kCrossNs);
    for (uint32_t i = 0; i < last_of_stream_.size(); ++i) {
      const uint32_t last = last_of_stream_[i];
      if (last == kNoNode ||
          lines_.streams[i].process != lines_.streams[stream].process)
        continue;
      if (EndOf(last) > time || EndOf(last) <= latest) continue;
      latest = EndOf(last);
      found = last;
    }
    return found;
  }

  void AddUnexplained(int64_t ns) {
    if (ns <= 0) return;
    graph_.unexplained_ns = SaturatingAdd(graph_.unexplained_ns, ns);
  }

  const EventTree& tree_;
  const Trace& trace_;
  const Lines& lines_;
  ReplayGraph graph_;
  std::priority_queue<Cursor> cursors_;
  std::vector<HostState> host_;       // by host line
  std::vector<uint32_t> call_begin_;  // by host node: of the graph
  std::vector<uint32_t> call_end_;
  std::vector<uint32_t> last_of_launch_;  // by host node: ends last so far
  std::vector<uint32_t> work_;            // by work: of the graph
  std::vector<uint32_t> last_of_stream_;
  uint32_t launch_line_ = 0;
};

// Marks and device work of the steps.
class StepTies {
 public:
  StepTies(const EventTree& tree, const StepTable& steps, ReplayGraph& graph)
      : tree_(tree), steps_(steps), graph_(graph) {}

  void Tie() {
    if (steps_.steps().empty()) {
      TieWindows();
      return;
    }
    graph_.has_steps = true;
    AddSteps();
    FindMarks();
    std::erase_if(graph_.steps, [](const ReplayStep& step) {
      return step.begin == kNoNode || step.end == kNoNode;
    });
    TieWork();
  }

 private:
  int64_t EndOf(uint32_t node) const {
    return tree_.end_ns(graph_.nodes[node].row);
  }
  uint32_t ProcessOf(const ReplayNode& node) const {
    return node.on_host() ? tree_.threads()[node.line].process
                          : tree_.trace()
                                .tracks()[tree_.trace().track()[node.row]]
                                .process;
  }

  void AddSteps() {
    for (const StepInterval& step : steps_.steps()) {
      const uint32_t process = tree_.threads()[step.thread].process;
      if (step.thread != steps_.main_thread(process)) continue;
      ReplayStep entry;
      entry.index = step.index;
      entry.rested = step.rested;
      entry.process = process;
      entry.range = step.range;
      entry.warmup = step.warmup;
      entry.row = step.row;
      graph_.steps.push_back(entry);
    }
    StableSort(graph_.steps.begin(), graph_.steps.end(),
               [](const ReplayStep& a, const ReplayStep& b) {
                 return std::pair(a.process, a.range.begin) <
                        std::pair(b.process, b.range.begin);
               });
  }

  void FindMarks() {
    std::unordered_map<Row, std::pair<uint32_t, uint32_t>> marks;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const ReplayNode& node = graph_.nodes[i];
      if (node.kind != NodeKind::kMark) continue;
      const auto [at, added] = marks.try_emplace(node.row, i, kNoNode);
      if (!added) at->second.second = i;
    }
    for (ReplayStep& step : graph_.steps) {
      const auto mark = marks.find(step.row);
      if (mark == marks.end()) continue;
      step.begin = mark->second.first;
      step.end = mark->second.second;
    }
  }

  void AddWork(ReplayStep& step, uint32_t node) {
    if (step.first_work == kNoNode) step.first_work = node;
    if (step.last_work == kNoNode || EndOf(node) >= EndOf(step.last_work))
      step.last_work = node;
  }

  // Nodes of work come by recorded start, as a rule.
  void TieWork() {
    any_launch_ = std::any_of(
        graph_.nodes.begin(), graph_.nodes.end(), [](const ReplayNode& node) {
          return node.kind == NodeKind::kWork && node.other != kNoNode;
        });
    std::vector<size_t> likely(tree_.trace().processes().size(), 0);
    std::vector<std::pair<size_t, size_t>> range(likely.size(), {0, 0});
    for (size_t i = 0; i < graph_.steps.size(); ++i) {
      auto& [first, last] = range[graph_.steps[i].process];
      if (last == 0) first = i;
      last = i + 1;
    }
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const ReplayNode& node = graph_.nodes[i];
      if (node.kind != NodeKind::kWork) continue;
      // Of no step: it was launched before the recording began.
      if (node.other == kNoNode && any_launch_) continue;
      const int64_t time =
          node.other == kNoNode ? node.at : graph_.nodes[node.other].at;
      const auto [first, last] = range[ProcessOf(node)];
      const auto after = std::partition_point(
          graph_.steps.begin() + static_cast<ptrdiff_t>(first),
          graph_.steps.begin() + static_cast<ptrdiff_t>(last),
          [&](const ReplayStep& step) { return step.range.begin <= time; });
      if (after == graph_.steps.begin() + static_cast<ptrdiff_t>(first))
        continue;
      if (time < after[-1].range.end) AddWork(after[-1], i);
    }
  }

  // Without marks each process is one step, from its first node to its last.
  void TieWindows() {
    std::vector<size_t> step_of(tree_.trace().processes().size(), SIZE_MAX);
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const ReplayNode& node = graph_.nodes[i];
      if (node.row == kNoRow) continue;
      size_t& index = step_of[ProcessOf(node)];
      if (index == SIZE_MAX) {
        index = graph_.steps.size();
        ReplayStep step;
        step.index = -1;
        step.process = ProcessOf(node);
        step.begin = step.end = i;
        step.range = {node.at, EndOf(i)};
        graph_.steps.push_back(step);
      }
      ReplayStep& step = graph_.steps[index];
      if (EndOf(i) >= EndOf(step.end)) step.end = i;
      step.range.end = std::max(step.range.end, EndOf(i));
      if (node.kind == NodeKind::kWork) AddWork(step, i);
    }
  }

  const EventTree& tree_;
  const StepTable& steps_;
  ReplayGraph& graph_;
  bool any_launch_ = false;
};

}  // namespace

size_t ReplayGraph::RunOf(uint32_t node) const {
  const auto at =
      std::partition_point(runs.begin(), runs.end(),
                           [&](const CallRun& run) { return run.node < node; });
  return static_cast<size_t>(at - runs.begin());
}

ReplayGraph BuildReplayGraph(const EventTree& tree, const StepTable& steps,
                             NameClasses& names) {
  ReplayGraph graph;
  {
    Lines lines;
    MakeHostLines(tree, steps, names, lines);
    FindJoins(tree, lines);
    MakeStreamLines(tree, lines);
    FindWaits(tree, lines);
    graph = Merger(tree, lines).Merge();
    graph.run_bytes.resize(tree.threads().size());
    for (HostLine& line : lines.hosts)
      graph.run_bytes[line.thread] = std::move(line.run_bytes);
  }
  for (const ReplayNode& node : graph.nodes) {
    graph.graph_calls_without_work +=
        node.kind == NodeKind::kCall && !node.has(kLaunchCall) &&
        tree.trace().type()[node.row] == STEPSCOPE_GRAPH_LAUNCH;
  }
  StepTies(tree, steps, graph).Tie();
  return graph;
}

}  // namespace stepscope
