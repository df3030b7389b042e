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
#include "analysis/replay/stream_lines.h"
#include "analysis/step_finder.h"

namespace stepscope {
namespace {

class Merger {
 public:
  Merger(std::vector<HostLine> hosts, StreamLines streams)
      : hosts_(std::move(hosts)), streams_(std::move(streams)) {}

  ReplayGraph Merge() {
    graph_.typical_gap_ns = streams_.typical.gap_ns;
    graph_.typical_lag_ns = streams_.typical.lag_ns;
    graph_.typical_call_ns = streams_.typical.call_ns;
    graph_.unexplained_ns = streams_.unexplained_ns;
    size_t count = 0;
    graph_.origin_ns = INT64_MAX;
    for (uint32_t i = 0; i < LineCount(); ++i) {
      const std::vector<DraftNode>& nodes = Line(i);
      ids_.emplace_back(nodes.size(), Ids{});
      for (const DraftNode& draft : nodes) {
        count += draft.wait.known() ? 2 : 1;
      }
      if (nodes.empty()) continue;
      graph_.origin_ns =
          std::min({graph_.origin_ns, nodes[0].key, nodes[0].node.at});
      cursors_.push({nodes[0].key, i, 0, false});
    }
    graph_.nodes.reserve(count);
    graph_.costs.reserve(count);
    while (!cursors_.empty()) {
      const Cursor at = cursors_.top();
      cursors_.pop();
      Emit(at);
    }
    return std::move(graph_);
  }

 private:
  struct Ids {
    uint32_t first = kNoNode;  // where it starts
    uint32_t last = kNoNode;   // where it ends
  };
  struct Cursor {
    int64_t key = 0;
    uint32_t line = 0;
    uint32_t index = 0;
    bool waiting = false;  // the call has begun
    bool operator<(const Cursor& other) const {  // for a queue: latest first
      return std::pair(key, line) > std::pair(other.key, other.line);
    }
  };

  size_t LineCount() const { return hosts_.size() + streams_.lines.size(); }
  std::vector<DraftNode>& Line(size_t i) {
    return i < hosts_.size() ? hosts_[i].nodes
                             : streams_.lines[i - hosts_.size()].nodes;
  }
  uint32_t Stream(uint32_t line) const {
    return line + static_cast<uint32_t>(hosts_.size());
  }
  // A node that must be there already; kNoNode, counted, if it is not.
  uint32_t Earlier(uint32_t id) {
    if (id == kNoNode) ++graph_.repaired;
    return id;
  }

  void Emit(const Cursor& at) {
    const std::vector<DraftNode>& nodes = Line(at.line);
    const DraftNode& draft = nodes[at.index];
    Ids& ids = ids_[at.line][at.index];
    if (at.waiting) {
      ids.last = EmitWait(draft, ids.first);
    } else {
      ids.first = ids.last = EmitNode(draft, at);
      if (draft.wait.known()) {
        const int64_t end = SaturatingAdd(draft.node.at, draft.cost.dur);
        cursors_.push({std::max(end, at.key), at.line, at.index, true});
        return;
      }
    }
    if (at.index + 1 < nodes.size()) {
      cursors_.push(
          {std::max(nodes[at.index + 1].key, at.key), at.line, at.index + 1,
           false});
    }
  }

  uint32_t EmitNode(const DraftNode& draft, const Cursor& at) {
    const auto id = static_cast<uint32_t>(graph_.nodes.size());
    ReplayNode node = draft.node;
    Cost cost = draft.cost;
    const bool work = node.kind == NodeKind::kWork;
    if (draft.wait.known()) cost.dur = 0;
    if (draft.prev.known()) {
      const uint32_t line = work ? Stream(draft.prev.line) : at.line;
      node.prev = Earlier(ids_[line][draft.prev.index].last);
    }
    if (draft.other.known()) {
      const Ids& other = ids_[draft.other.line][draft.other.index];
      node.other = Earlier(work ? other.first : other.last);
    }
    if (node.prev == kNoNode) {
      const bool tied = node.other != kNoNode;
      cost.gap = tied ? kNever
                      : SaturatingSubtract(node.at, graph_.origin_ns);
    }
    if (draft.cross.known()) {
      const uint32_t from =
          ids_[Stream(draft.cross.line)][draft.cross.index].last;
      if (Earlier(from) != kNoNode) {
        graph_.cross.push_back({id, from, draft.cross_lag});
      }
    }
    graph_.nodes.push_back(node);
    graph_.costs.push_back(cost);
    return id;
  }

  // The end of a call that waits.
  uint32_t EmitWait(const DraftNode& draft, uint32_t call) {
    const auto id = static_cast<uint32_t>(graph_.nodes.size());
    ReplayNode node = draft.node;
    node.kind = NodeKind::kWait;
    node.at = SaturatingAdd(draft.node.at, draft.cost.dur);
    node.prev = call;
    node.events = 0;
    node.other = Earlier(
        ids_[Stream(draft.wait.line)][draft.wait.index].last);
    Cost cost;
    cost.gap = node.other == kNoNode ? draft.cost.dur : draft.own_ns;
    cost.lag = draft.wait_lag;
    graph_.nodes.push_back(node);
    graph_.costs.push_back(cost);
    return id;
  }

  std::vector<HostLine> hosts_;
  StreamLines streams_;
  ReplayGraph graph_;
  std::vector<std::vector<Ids>> ids_;  // by line: hosts, then streams
  std::priority_queue<Cursor> cursors_;
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
      entry.process = process;
      entry.range = step.range;
      entry.warmup = step.warmup;
      entry.row = step.row;
      graph_.steps.push_back(entry);
    }
    std::stable_sort(graph_.steps.begin(), graph_.steps.end(),
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
    if (step.last_work == kNoNode || EndOf(node) >= EndOf(step.last_work)) {
      step.last_work = node;
    }
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
      if (after == graph_.steps.begin() + static_cast<ptrdiff_t>(first)) {
        continue;
      }
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

ReplayGraph BuildReplayGraph(const EventTree& tree, const StepTable& steps,
                             NameClasses& names) {
  std::vector<HostLine> hosts = MakeHostLines(tree, steps, names);
  FindJoins(hosts);
  StreamLines streams = MakeStreamLines(tree, hosts);
  FindWaits(streams, tree, hosts);
  uint64_t without_work = 0;
  for (const HostLine& host : hosts) {
    for (const uint32_t call : host.calls) {
      const ReplayNode& node = host.nodes[call].node;
      if (tree.trace().type()[node.row] == STEPSCOPE_GRAPH_LAUNCH &&
          !node.has(kLaunches)) {
        ++without_work;
      }
    }
  }
  ReplayGraph graph = Merger(std::move(hosts), std::move(streams)).Merge();
  graph.graph_calls_without_work = without_work;
  StepTies(tree, steps, graph).Tie();
  return graph;
}

}  // namespace stepscope
