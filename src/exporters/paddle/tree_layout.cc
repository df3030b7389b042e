// SPDX-License-Identifier: Apache-2.0
#include "exporters/paddle/tree_layout.h"

#include <stepscope/c.h>

#include <algorithm>
#include <unordered_map>

namespace stepscope::paddle {
namespace {

struct Node {
  Row row;
  uint32_t depth;   // 1: below the root
  uint32_t parent;  // index in the list of nodes, or kRoot
};
constexpr uint32_t kRoot = 0xffffffff;

}  // namespace

bool IsCall(uint16_t type) {
  return type == STEPSCOPE_CUDA_RUNTIME || type == STEPSCOPE_SYNCHRONIZATION ||
         type == STEPSCOPE_GRAPH_LAUNCH;
}

TreeLayout LayOut(const Trace& trace, std::span<const uint32_t> tracks,
                  std::span<const size_t> memory) {
  const Nesting& nesting = trace.nesting();
  std::vector<Node> nodes;
  std::vector<std::pair<uint32_t, Row>> calls;  // on an index, or kRoot
  std::unordered_map<Row, uint32_t> node_of;    // row -> index, or kRoot
  uint32_t deepest = 0;
  for (const uint32_t t : tracks) {
    const Track& track = trace.tracks()[t];
    for (Row row = track.first; row < track.last; ++row) {
      const Row above = nesting.parent[row];
      const uint32_t parent = above == kNoRow ? kRoot : node_of[above];
      if (IsCall(trace.type()[row])) {
        calls.emplace_back(parent, row);
        node_of[row] = parent;  // what it holds hangs where it does
        continue;
      }
      const uint32_t depth = parent == kRoot ? 1 : nodes[parent].depth + 1;
      deepest = std::max(deepest, depth);
      node_of[row] = static_cast<uint32_t>(nodes.size());
      nodes.push_back({row, depth, parent});
    }
  }
  // Breadth first: by depth, and within one depth as they are.
  std::vector<uint32_t> next(size_t{deepest} + 2, 0);
  for (const Node& node : nodes) ++next[node.depth + 1];
  for (size_t d = 1; d < next.size(); ++d) next[d] += next[d - 1];
  std::vector<uint32_t> id(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) id[i] = next[nodes[i].depth]++ + 1;
  const auto id_of = [&](uint32_t index) {
    return index == kRoot ? 0 : id[index];
  };

  TreeLayout layout;
  layout.nodes.resize(nodes.size());
  layout.parents.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    layout.nodes[id[i] - 1] = nodes[i].row;
    layout.parents[id[i] - 1] = id_of(nodes[i].parent);
  }
  for (const auto& [index, row] : calls)
    layout.calls.emplace_back(id_of(index), row);
  for (const size_t event : memory) {
    const auto owner = node_of.find(trace.memory()[event].owner);
    layout.memory.emplace_back(
        owner == node_of.end() ? 0 : id_of(owner->second), event);
  }
  const auto by_id = [](const auto& a, const auto& b) {
    return a.first < b.first;
  };
  std::stable_sort(layout.calls.begin(), layout.calls.end(), by_id);
  std::stable_sort(layout.memory.begin(), layout.memory.end(), by_id);
  return layout;
}

}  // namespace stepscope::paddle
