// SPDX-License-Identifier: Apache-2.0
#include "analysis/event_tree.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

// Where a container of an event on a further lane is looked for. Bounds the
// work when thousands of events overlap each other.
constexpr uint32_t kLanesSearched = 16;

}  // namespace

EventTree::EventTree(const Trace& trace)
    : trace_(trace), threads_(trace), work_(FindLaunches(trace)) {
  const Column<Row>& nested = trace.nesting().parent;
  parent_ = nested.view();
  self_ns_ = trace.nesting().self_ns.view();
  if (work_.empty() && !threads_.has_lanes()) return;
  if (!own_parent_.Resize(nested.size())) return;
  std::copy(nested.data(), nested.data() + nested.size(), own_parent_.data());
  if (threads_.has_lanes() && own_self_ns_.Resize(self_ns_.size())) {
    std::copy(self_ns_.begin(), self_ns_.end(), own_self_ns_.data());
    self_ns_ = own_self_ns_.view();
    for (size_t i = 0; i < threads_.size(); ++i) {
      if (threads_[i].last_track - threads_[i].first_track == 1) continue;
      ResolveLanes(i);
      ComputeSelf(i);
    }
  }
  SkipApiCalls();
  parent_ = own_parent_.view();
  AddDeviceTime();
}

// An event on a further lane overlaps something without nesting, but may well
// lie inside something else: finds the innermost such.
void EventTree::ResolveLanes(size_t thread) {
  const uint32_t first = threads_[thread].first_track;
  const uint32_t lanes = threads_[thread].last_track - first;
  // Open events by lane, outermost first: their ends do not increase.
  std::vector<std::vector<Row>> open(lanes);
  const auto start = trace_.start_ns();
  const auto close = [&](std::vector<Row>& stack, int64_t now) {
    while (!stack.empty() && end_ns(stack.back()) <= now) stack.pop_back();
  };
  threads_.ForEachRow(thread, [&](Row row) {
    const uint32_t lane = trace_.track()[row] - first;
    const int64_t end = end_ns(row);
    if (own_parent_[row] == kNoRow) {
      Row best = kNoRow;
      for (uint32_t i = 0; i < std::min(lane, kLanesSearched); ++i) {
        close(open[i], start[row]);
        const auto at = std::partition_point(
            open[i].begin(), open[i].end(),
            [&](Row candidate) { return end_ns(candidate) >= end; });
        if (at == open[i].begin()) continue;
        if (best == kNoRow || start[at[-1]] > start[best]) best = at[-1];
      }
      own_parent_[row] = best;
    }
    close(open[lane], start[row]);
    open[lane].push_back(row);
  });
}

// Children on several lanes overlap: what they cover together is not self.
void EventTree::ComputeSelf(size_t thread) {
  const auto start = trace_.start_ns();
  std::unordered_map<Row, int64_t> covered;  // parents: up to when
  threads_.ForEachRow(thread, [&](Row row) {
    own_self_ns_[row] = trace_.dur_ns()[row];
    const Row parent = own_parent_[row];
    if (parent == kNoRow) return;
    int64_t& until = covered.try_emplace(parent, start[parent]).first->second;
    const int64_t from = std::max(start[row], until);
    if (end_ns(row) <= from) return;
    own_self_ns_[parent] -= end_ns(row) - from;
    until = end_ns(row);
  });
}

// Walks the tree of a thread whose events are on several lanes.
std::vector<EventTree::NestedRow> EventTree::NestedOrder(
    const Thread& thread) const {
  std::vector<Row> rows;
  std::unordered_map<Row, std::vector<Row>> children;
  threads_.ForEachRow(threads_.of_track(thread.first_track), [&](Row row) {
    if (parent(row) == kNoRow) {
      rows.push_back(row);
    } else {
      children[parent(row)].push_back(row);
    }
  });
  std::vector<NestedRow> order;
  // Rows to visit, the next one last. A negative entry is reached when all
  // below the event at that position (as -1 - position) has been visited.
  std::vector<int64_t> stack(rows.rbegin(), rows.rend());
  while (!stack.empty()) {
    const int64_t top = stack.back();
    stack.pop_back();
    const auto position = static_cast<int64_t>(order.size());
    if (top < 0) {
      order[static_cast<size_t>(-top - 1)].span.end = position;
      continue;
    }
    const Row row = static_cast<Row>(top);
    order.push_back({row, {position, position + 1}});
    stack.push_back(-position - 1);
    const auto below = children.find(row);
    if (below == children.end()) continue;
    stack.insert(stack.end(), below->second.rbegin(), below->second.rend());
  }
  return order;
}

void EventTree::SkipApiCalls() {
  const auto type = trace_.type();
  // Tracks of lanes come after the lanes that their parents are on.
  for (Row row = 0; row < own_parent_.size(); ++row) {
    const Row parent = own_parent_[row];
    if (parent != kNoRow && IsApiCall(type[parent])) {
      own_parent_[row] = own_parent_[parent];
    }
  }
}

void EventTree::AddDeviceTime() {
  if (work_.empty() || !gpu_ns_.Resize(trace_.size())) return;
  const auto type = trace_.type();
  const auto dur = trace_.dur_ns();
  for (DeviceWork& work : work_) {
    if (work.launch == kNoRow) {
      ++orphans_;
      continue;
    }
    int64_t& sum = gpu_ns_[work.launch];
    sum = SaturatingAdd(sum, dur[work.row]);
    work.owner =
        IsApiCall(type[work.launch]) ? parent(work.launch) : work.launch;
  }
  // Children come after their parents.
  for (Row row = trace_.size(); row-- > 0;) {
    if (gpu_ns_[row] == 0 || parent(row) == kNoRow) continue;
    int64_t& sum = gpu_ns_[parent(row)];
    sum = SaturatingAdd(sum, gpu_ns_[row]);
  }
}

}  // namespace stepscope
