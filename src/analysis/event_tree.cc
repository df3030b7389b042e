// SPDX-License-Identifier: Apache-2.0
#include "analysis/event_tree.h"

#include <algorithm>

#include "analysis/kinds.h"
#include "analysis/open_ends.h"

namespace stepscope {
EventTree::EventTree(const Trace& trace)
    : trace_(trace),
      threads_(trace),
      census_(trace),
      work_(FindLaunches(trace, census_)),
      origins_(trace, work_.span()),
      parent_(trace.nesting().parent.view()) {
  if (threads_.has_lanes()) ResolveAllLanes();
  if (!work_.empty() || threads_.has_lanes()) SkipApiCalls();
  AddDeviceTime();
  if (!threads_.has_lanes()) return;
  nested_.resize(threads_.size());
  for (size_t i = 0; i < threads_.size(); ++i)
    if (threads_[i].has_lanes()) OrderLanes(i);
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
  if (!OwnParents()) return;
  for (size_t i = 0; i < threads_.size(); ++i)
    if (threads_[i].has_lanes()) ResolveLanes(i);
}

// What overlaps something without nesting may well lie inside something else,
// on whichever lane: finds the innermost such.
void EventTree::ResolveLanes(size_t thread) {
  const auto start = trace_.start_ns();
  OpenEnds ends;
  std::vector<Row> open;  // whose ends they are
  threads_.ForEachRow(thread, [&](Row row) {
    while (!open.empty() && ends.back() <= start[row]) {
      ends.Pop();
      open.pop_back();
    }
    // What begins where another ends is not inside it, even without duration.
    const size_t around =
        ends.LastThatReaches(std::max(end_ns(row), start[row] + 1));
    own_parent_[row] = around == OpenEnds::kNone ? kNoRow : open[around];
    if (IsApiCall(trace_.type()[row])) return;  // a leaf
    ends.Push(end_ns(row));
    open.push_back(row);
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
    for (Row row = track.first; row + 1 < track.last; ++row)
      if (IsApiCall(type[row]) && parent_[row + 1] == row) return true;
  }
  return false;
}

void EventTree::SkipApiCalls() {
  if (parent_.empty()) return;
  if (!threads_.has_lanes() && !CallsContainEvents()) return;
  if (!OwnParents()) return;
  const auto type = trace_.type();
  // Parents first, so that theirs is no call any more.
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].has_lanes()) continue;  // resolved so
    threads_.ForEachRow(i, [&](Row row) {
      const Row parent = own_parent_[row];
      if (parent != kNoRow && IsApiCall(type[parent]))
        own_parent_[row] = own_parent_[parent];
    });
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
  const auto pass_up = [&](Row row) {
    if (gpu_ns_[row] == 0) return;
    const Row up = parent(row);
    if (up != kNoRow) gpu_ns_[up] = SaturatingAdd(gpu_ns_[up], gpu_ns_[row]);
  };
  for (size_t i = 0; i < threads_.size(); ++i)
    threads_.ForEachRowBack(i, pass_up);
}

}  // namespace stepscope
