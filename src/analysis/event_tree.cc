// SPDX-License-Identifier: Apache-2.0
#include "analysis/event_tree.h"

#include <algorithm>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

// Where a container of an event on a further lane is looked for. Bounds the
// work when thousands of events overlap each other.
constexpr uint32_t kLanesSearched = 16;

}  // namespace

EventTree::EventTree(const Trace& trace)
    : trace_(trace),
      threads_(trace),
      census_(trace),
      work_(FindLaunches(trace, census_)),
      parent_(trace.nesting().parent.view()) {
  if (threads_.has_lanes()) ResolveAllLanes();
  if (!work_.empty() || threads_.has_lanes()) SkipApiCalls();
  AddDeviceTime();
  if (!threads_.has_lanes()) return;
  nested_.resize(threads_.size());
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].has_lanes()) OrderLanes(i);
  }
}

// Makes the parents this tree's own, to be changed.
bool EventTree::OwnParents() {
  if (!own_parent_.empty()) return true;
  if (!own_parent_.Resize(parent_.size())) return false;
  std::copy(parent_.begin(), parent_.end(), own_parent_.data());
  parent_ = own_parent_.view();
  return true;
}

void EventTree::ResolveAllLanes() {
  const std::span<const int64_t> self_ns = trace_.self_ns();
  if (!OwnParents() || !own_self_ns_.Resize(self_ns.size())) return;
  std::copy(self_ns.begin(), self_ns.end(), own_self_ns_.data());
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (!threads_[i].has_lanes()) continue;
    ResolveLanes(i);
    ComputeSelf(i);
  }
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
  const Row first = trace_.tracks()[threads_[thread].first_track].first;
  const Row last = trace_.tracks()[threads_[thread].last_track - 1].last;
  Column<int64_t> covered;  // parents, from the first row: up to when
  if (!covered.Resize(last - first)) return;
  threads_.ForEachRow(thread, [&](Row row) {
    own_self_ns_[row] = trace_.dur_ns()[row];
    covered[row - first] = start[row];
    const Row parent = own_parent_[row];
    if (parent == kNoRow) return;
    int64_t& until = covered[parent - first];
    const int64_t from = std::max(start[row], until);
    if (end_ns(row) <= from) return;
    own_self_ns_[parent] -= end_ns(row) - from;
    until = end_ns(row);
  });
}

// Parents first, each followed by all inside it: places of the events are
// dealt out from above, once it is known how many are below each.
void EventTree::OrderLanes(size_t thread) {
  const Row first = trace_.tracks()[threads_[thread].first_track].first;
  const Row last = trace_.tracks()[threads_[thread].last_track - 1].last;
  const std::span<const Row> rows = threads_.merged(thread);
  std::vector<uint32_t> below(last - first, 0);
  for (size_t i = rows.size(); i-- > 0;) {
    const Row up = parent(rows[i]);
    if (up != kNoRow) below[up - first] += below[rows[i] - first] + 1;
  }
  std::vector<NestedRow>& order = nested_[thread];
  order.resize(rows.size());
  std::vector<uint32_t> next(last - first, 0);  // place within a parent
  uint32_t outermost = 0;
  for (const Row row : rows) {
    const Row up = parent(row);
    uint32_t& place = up == kNoRow ? outermost : next[up - first];
    const uint32_t end = place + 1 + below[row - first];
    order[place] = {row, end};
    next[row - first] = place + 1;
    place = end;
  }
}

// Whether any API call has events inside; the first of them comes next.
bool EventTree::CallsContainEvents() const {
  const auto type = trace_.type();
  for (uint32_t i = 0; i < trace_.tracks().size(); ++i) {
    const Track& track = trace_.tracks()[i];
    if ((census_.types(i) & kApiCallTypes) == 0) continue;
    for (Row row = track.first; row + 1 < track.last; ++row) {
      if (IsApiCall(type[row]) && parent_[row + 1] == row) return true;
    }
  }
  return false;
}

void EventTree::SkipApiCalls() {
  if (parent_.empty()) return;
  if (!threads_.has_lanes() && !CallsContainEvents()) return;
  if (!OwnParents()) return;
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
  for (DeviceWork& work : work_.span()) {
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
  for (size_t i = trace_.tracks().size(); i-- > 0;) {
    const Track& track = trace_.tracks()[i];
    if (track.kind != TrackKind::kThread) continue;
    for (Row row = track.last; row-- > track.first;) {
      const int64_t below = gpu_ns_[row];
      const Row up = parent(row);
      if (below == 0 || up == kNoRow) continue;
      gpu_ns_[up] = SaturatingAdd(gpu_ns_[up], below);
    }
  }
}

}  // namespace stepscope
