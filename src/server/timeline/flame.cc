// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/flame.h"

#include <algorithm>

namespace stepscope::server {
namespace {

constexpr uint32_t kTop = 0xffffffffu;
constexpr size_t kMostBoxes = 4000;
constexpr int64_t kSmallest = 5000;  // of the whole, one in so many

}  // namespace

void Flame::Add(uint32_t depth, uint32_t name, int64_t time_ns) {
  // The first that is seen may lie deep, where parents were not selected.
  path_.resize(std::min<size_t>(depth, path_.size()));
  const uint32_t parent = path_.empty() ? kTop : path_.back();
  const auto [found, fresh] =
      known_.try_emplace({parent, name}, static_cast<uint32_t>(nodes_.size()));
  if (fresh)
    nodes_.push_back({name, parent, static_cast<uint32_t>(path_.size()), 0, 0});
  Node& node = nodes_[found->second];
  ++node.calls;
  node.time_ns += time_ns;
  path_.push_back(found->second);
}

void Flame::Write(JsonWriter& json, const Trace& trace) const {
  std::vector<std::vector<uint32_t>> children(nodes_.size() + 1);
  int64_t whole = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const bool top = nodes_[i].parent == kTop;
    children[top ? nodes_.size() : nodes_[i].parent].push_back(i);
    if (top) whole += nodes_[i].time_ns;
  }
  for (std::vector<uint32_t>& list : children)
    std::sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
      return nodes_[a].time_ns != nodes_[b].time_ns
                 ? nodes_[a].time_ns > nodes_[b].time_ns
                 : a < b;
    });
  json.Key("flame").BeginArray();
  std::vector<int64_t> x(nodes_.size(), 0);
  std::vector<uint32_t> waiting = {static_cast<uint32_t>(nodes_.size())};
  size_t boxes = 0;
  for (size_t i = 0; i < waiting.size() && boxes < kMostBoxes; ++i) {
    const uint32_t parent = waiting[i];
    int64_t at = parent == nodes_.size() ? 0 : x[parent];
    for (const uint32_t child : children[parent]) {
      const Node& node = nodes_[child];
      if (node.time_ns * kSmallest < whole || boxes == kMostBoxes) break;
      x[child] = at;
      at += node.time_ns;
      json.BeginObject().Field("name", trace.str(StringId{node.name}));
      json.Field("depth", uint64_t{node.depth}).Field("x", x[child]);
      json.Field("w", node.time_ns).Field("calls", node.calls).EndObject();
      ++boxes;
      waiting.push_back(child);
    }
  }
  json.EndArray().Field("flame_total", whole);
}

}  // namespace stepscope::server
