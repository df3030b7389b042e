// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/flame.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "analysis/gradients.h"
#include "analysis/kinds.h"
#include "analysis/looks.h"
#include "analysis/module_names.h"
#include "base/json_writer.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostBoxes = 4000;
constexpr int64_t kSmallest = 5000;  // of the whole, one in so many

class CallFolder {
 public:
  CallFolder(const EventTree& tree, const FoldOptions& options)
      : tree_(tree),
        trace_(tree.trace()),
        options_(options),
        modules_(tree),
        nodes_(1) {}

  // The node of a call inside that of another one.
  uint32_t Enter(uint32_t parent, Row row) {
    return Enter(parent, trace_.name()[row], trace_.type()[row], row);
  }
  uint32_t Enter(uint32_t parent, StringId name, uint16_t type, Row row) {
    const uint64_t key = uint64_t{parent} << 32 | name.v;
    uint32_t slot = slots_.Insert(key);
    if (slot == FlatMap::kNew) {
      slot = static_cast<uint32_t>(nodes_.size()) - 1;
      nodes_.push_back({.name = name,
                        .type = type,
                        .parent = parent,
                        .depth = nodes_[parent].depth + (parent != 0 ? 1 : 0),
                        .longest = row});
    }
    FoldedCall& node = nodes_[slot + 1];
    if (node.longest == kNoRow ||
        trace_.dur_ns()[row] > trace_.dur_ns()[node.longest])
      node.longest = row;
    return slot + 1;
  }

  void FoldHost() {
    struct Open {
      int64_t end = 0;
      uint32_t node = 0;
    };
    std::vector<Open> open;
    for (size_t thread = 0; thread < tree_.threads().size(); ++thread) {
      open.clear();
      tree_.ForEachNested(thread, [&](Row row, const Interval& span) {
        while (!open.empty() && open.back().end <= span.begin) open.pop_back();
        const uint32_t around = open.empty() ? 0 : open.back().node;
        const int64_t time = Inside(row);
        if (time < 0 || IsLeftOut(row)) {
          open.push_back({span.end, around});
          return;
        }
        const uint32_t node = Enter(around, row);
        ++nodes_[node].calls;
        nodes_[node].self_ns += time;
        if (around != 0) nodes_[around].self_ns -= time;
        open.push_back({span.end, node});
      });
    }
  }

  void FoldDevice() {
    if (options_.modules) FindGradients();
    std::vector<bool> counted(trace_.size());  // calls launch more than once
    std::vector<Row> path;
    for (const DeviceWork& work : tree_.work()) {
      const int64_t time = Inside(work.row);
      if (time < 0) continue;
      FindPath(work.owner, path);
      uint32_t node = 0;
      for (auto row = path.rbegin(); row != path.rend(); ++row) {
        node = Enter(node, *row);
        if (!counted[*row]) ++nodes_[node].calls;
        counted[*row] = true;
      }
      const std::span<const CapturedIn> captured = tree_.captured_in(work);
      for (auto event = captured.rbegin(); event != captured.rend(); ++event) {
        if (IsLeftOut(event->name, event->type) || IsAmong(path, event->name))
          continue;
        node = Enter(node, event->name, event->type, work.launch);
        ++nodes_[node].calls;
      }
      node = Enter(node, work.row);
      ++nodes_[node].calls;
      nodes_[node].self_ns += time;
    }
  }

  std::vector<FoldedCall> Take() {
    if (options_.inverted) Invert();
    // Events that overlap on a thread may leave less than nothing to what is
    // around them.
    for (FoldedCall& node : nodes_) {
      node.self_ns = std::max<int64_t>(node.self_ns, 0);
      node.total_ns = node.self_ns;
    }
    for (size_t i = nodes_.size(); i-- > 1;) {
      int64_t& sum = nodes_[nodes_[i].parent].total_ns;
      sum = SaturatingAdd(sum, nodes_[i].total_ns);
    }
    return std::move(nodes_);
  }

 private:
  // Its time in the range; -1: it is not in it, or on another track.
  int64_t Inside(Row row) const {
    if (!options_.tracks.empty() && !options_.tracks[trace_.track()[row]])
      return -1;
    const int64_t start = trace_.start_ns()[row];
    const int64_t end = tree_.end_ns(row);
    if (!options_.range) return std::max<int64_t>(trace_.dur_ns()[row], 0);
    const Interval& range = *options_.range;
    if (start >= range.end || (end <= range.begin && start < range.begin))
      return -1;
    return std::max<int64_t>(
        std::min(end, range.end) - std::max(start, range.begin), 0);
  }

  // Steps, so that they are put together.
  bool IsLeftOut(StringId name, uint16_t type) const {
    return type == STEPSCOPE_PROFILE_STEP ||
           (options_.modules && type == STEPSCOPE_PYTHON_FUNCTION &&
            !modules_.Has(name, type));
  }
  bool IsLeftOut(Row row) const {
    return IsLeftOut(trace_.name()[row], trace_.type()[row]);
  }

  void FindGradients() {
    const AutogradNames autograd(tree_);
    if (!autograd.any() || !modules_.any()) return;
    for (uint32_t i = 0; i < trace_.processes().size(); ++i)
      ForEachGradient(
          tree_, autograd, i, [](Row) { return true; },
          [&](Row forward, Row backward) {
            forward_of_.try_emplace(backward, forward);
          });
  }

  // What is around work, innermost first.
  void FindPath(Row row, std::vector<Row>& path) const {
    path.clear();
    for (; row != kNoRow; row = tree_.parent(row)) {
      if (!IsLeftOut(row)) path.push_back(row);
      const auto forward = forward_of_.find(row);
      if (forward == forward_of_.end()) continue;
      // Of the forward pass, all from its module outwards, as its own work has
      // it; what is inside that was other work.
      for (row = modules_.Around(forward->second); row != kNoRow;
           row = tree_.parent(row))
        if (!IsLeftOut(row)) path.push_back(row);
      return;
    }
  }

  bool IsAmong(const std::vector<Row>& rows, StringId name) const {
    return std::any_of(rows.begin(), rows.end(),
                       [&](Row row) { return trace_.name()[row] == name; });
  }

  void Invert() {
    const std::vector<FoldedCall> calls = std::move(nodes_);
    nodes_.assign(1, {});
    slots_ = {};
    for (const FoldedCall& call : calls) {
      if (call.self_ns <= 0 || call.longest == kNoRow) continue;
      uint32_t node = 0;
      for (const FoldedCall* at = &call; at->longest != kNoRow;
           at = &calls[at->parent]) {
        node = Enter(node, at->name, at->type, call.longest);
        nodes_[node].calls += call.calls;
      }
      nodes_[node].self_ns += call.self_ns;
    }
  }

  const EventTree& tree_;
  const Trace& trace_;
  const FoldOptions& options_;
  const ModuleNames modules_;
  std::unordered_map<Row, Row> forward_of_;  // by function of autograd
  FlatMap slots_;  // parent and name to the node behind that
  std::vector<FoldedCall> nodes_;
};

}  // namespace

std::vector<FoldedCall> FoldCalls(const EventTree& tree,
                                  const FoldOptions& options) {
  CallFolder folder(tree, options);
  if (options.device)
    folder.FoldDevice();
  else
    folder.FoldHost();
  return folder.Take();
}

std::string FlameJson(const EventTree& tree, int64_t origin_ns,
                      const FoldOptions& options) {
  const Trace& trace = tree.trace();
  const std::vector<FoldedCall> calls = FoldCalls(tree, options);
  std::vector<std::vector<uint32_t>> children(calls.size());
  for (uint32_t i = 1; i < calls.size(); ++i)
    children[calls[i].parent].push_back(i);
  JsonWriter json;
  json.BeginObject().Field("total", calls[0].total_ns);
  json.Field("modules", ModuleNames(tree).any());
  json.Key("boxes").BeginArray();
  std::vector<int64_t> x(calls.size(), 0);
  std::vector<uint32_t> waiting = {0};
  size_t boxes = 0;
  for (size_t i = 0; i < waiting.size() && boxes < kMostBoxes; ++i) {
    std::vector<uint32_t>& inside = children[waiting[i]];
    std::sort(inside.begin(), inside.end(), [&](uint32_t a, uint32_t b) {
      return calls[a].total_ns != calls[b].total_ns
                 ? calls[a].total_ns > calls[b].total_ns
                 : a < b;
    });
    int64_t at = x[waiting[i]];
    for (const uint32_t child : inside) {
      const FoldedCall& call = calls[child];
      if (call.total_ns < calls[0].total_ns / kSmallest + 1 ||
          boxes == kMostBoxes)
        break;
      x[child] = at;
      at += call.total_ns;
      json.BeginObject().Field("name", trace.str(call.name));
      json.Field(
          "class",
          kEventClassLooks[static_cast<size_t>(EventClassOf(call.type))].name);
      json.Field("depth", uint64_t{call.depth}).Field("x", x[child]);
      json.Field("w", call.total_ns).Field("self", call.self_ns);
      json.Field("calls", call.calls);
      json.Field("start", trace.start_ns()[call.longest] - origin_ns);
      json.Field("dur", trace.dur_ns()[call.longest]).EndObject();
      ++boxes;
      waiting.push_back(child);
    }
  }
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
