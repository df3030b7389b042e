// SPDX-License-Identifier: Apache-2.0
//
// EventTree: who contains and who launched whom. Every table is computed from
// it. Built in one pass over the trace after sorting; immutable afterwards and
// safe to read from several threads. Refers to the trace, which must outlive
// it. Memory: 12 bytes an event where there is device work and as much where
// events of a thread overlap without nesting, else nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/interval.h"
#include "analysis/launches.h"
#include "analysis/threads.h"
#include "base/column.h"
#include "trace/trace.h"

namespace stepscope {

class EventTree {
 public:
  explicit EventTree(const Trace& trace);
  EventTree(const EventTree&) = delete;
  EventTree& operator=(const EventTree&) = delete;

  const Trace& trace() const { return trace_; }
  const Threads& threads() const { return threads_; }
  std::span<const DeviceWork> work() const { return work_; }

  // The innermost event around a host event, of any lane of its thread;
  // kNoRow if outermost. API calls are leaves: with device work in the trace,
  // what is inside one has the parent of that call.
  Row parent(Row row) const {
    return row < parent_.size() ? parent_[row] : kNoRow;
  }
  // Work launched within a host event, all kinds, plain sum.
  int64_t gpu_ns(Row row) const { return gpu_ns_.empty() ? 0 : gpu_ns_[row]; }

  // Duration less that of the events inside, API calls too.
  int64_t self_ns(Row row) const {
    return row < self_ns_.size() ? self_ns_[row] : 0;
  }

  int64_t end_ns(Row row) const {
    return SaturatingAdd(trace_.start_ns()[row], trace_.dur_ns()[row]);
  }
  uint32_t thread_of(Row row) const {
    return threads_.of_track(trace_.track()[row]);
  }
  // Work whose launch was not recorded.
  uint64_t orphans() const { return orphans_; }

  // Calls `visit(row, span)` for each event of a thread, parents first. An
  // event is inside an earlier one, by parent(), exactly if its span is inside
  // the other's; spans never overlap without nesting. OpenSpan takes them.
  template <typename Visit>
  void ForEachNested(size_t thread, Visit visit) const {
    const Thread& t = threads_[thread];
    const Track& track = trace_.tracks()[t.first_track];
    std::vector<NestedRow> order;
    const bool lanes = t.last_track - t.first_track > 1;
    if (lanes) order = NestedOrder(t);
    const size_t count = lanes ? order.size() : track.last - track.first;
    for (size_t i = 0; i < count; ++i) {
      const Row row = lanes ? order[i].row : track.first + static_cast<Row>(i);
      visit(row, lanes ? order[i].span
                       : Interval{trace_.start_ns()[row], end_ns(row)});
    }
  }

 private:
  struct NestedRow {
    Row row = kNoRow;
    Interval span;  // of positions in the order, not of time
  };

  std::vector<NestedRow> NestedOrder(const Thread& thread) const;
  void ResolveLanes(size_t thread);
  void ComputeSelf(size_t thread);
  void SkipApiCalls();
  void AddDeviceTime();

  const Trace& trace_;
  Threads threads_;
  std::vector<DeviceWork> work_;
  // Only where they differ from Nesting's.
  Column<Row> own_parent_;
  Column<int64_t> own_self_ns_;
  // Both are empty if memory was refused.
  std::span<const Row> parent_;
  std::span<const int64_t> self_ns_;
  Column<int64_t> gpu_ns_;
  uint64_t orphans_ = 0;
};

}  // namespace stepscope
