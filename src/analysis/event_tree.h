// SPDX-License-Identifier: Apache-2.0
//
// EventTree: who contains and who launched whom. Every table is computed from
// it. Built in one pass over the trace after sorting; immutable afterwards and
// safe to read from several threads. Refers to the trace, which must outlive
// it. Memory: 8 bytes an event where there is device work and 16 for each piece
// of that; 16 bytes an event where events of a thread overlap without nesting,
// else next to nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/capture_origin.h"
#include "analysis/census.h"
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
  const Census& census() const { return census_; }
  std::span<const DeviceWork> work() const { return work_.view(); }
  // The host events that work of a graph was captured in, innermost first;
  // empty for other work, and where it is not known.
  std::span<const CapturedIn> captured_in(const DeviceWork& work) const {
    return origins_.of(work);
  }

  // The innermost event around a host event, of any lane of its thread;
  // kNoRow if outermost. API calls are leaves: with device work in the trace,
  // what is inside one has the parent of that call.
  Row parent(Row row) const {
    return row < parent_.size() ? parent_[row] : kNoRow;
  }
  // Work launched within a host event, all kinds, plain sum.
  int64_t gpu_ns(Row row) const { return gpu_ns_.empty() ? 0 : gpu_ns_[row]; }

  // Duration less that of the events inside, API calls too; Trace::self_ns().
  int64_t self_ns(Row row) const {
    const std::span<const int64_t> self_ns = trace_.self_ns();
    return row < self_ns.size() ? self_ns[row] : 0;
  }

  int64_t end_ns(Row row) const {
    return SaturatingAdd(trace_.start_ns()[row], trace_.dur_ns()[row]);
  }
  uint32_t thread_of(Row row) const {
    return threads_.of_track(trace_.track()[row]);
  }
  // Work whose launch was not recorded.
  uint64_t orphans() const { return orphans_; }

  // Whether a thread has events of any of these types.
  bool Has(size_t thread, TypeSet types) const {
    TypeSet all = 0;
    for (uint32_t i = threads_[thread].first_track;
         i < threads_[thread].last_track; ++i)
      all |= census_.types(i);
    return (all & types) != 0;
  }

  // Calls `visit(row, span)` for each event of a thread, parents first. An
  // event is inside an earlier one, by parent(), exactly if its span is inside
  // the other's; spans never overlap without nesting. OpenSpan takes them.
  template <typename Visit>
  void ForEachNested(size_t thread, Visit visit) const {
    const Thread& t = threads_[thread];
    const Track& track = trace_.tracks()[t.first_track];
    const bool lanes = t.has_lanes();
    const std::span<const NestedRow> order =
        lanes ? std::span(nested_[thread]) : std::span<const NestedRow>();
    const size_t count = lanes ? order.size() : track.last - track.first;
    for (size_t i = 0; i < count; ++i) {
      const Row row = lanes ? order[i].row : track.first + static_cast<Row>(i);
      visit(row, lanes ? Interval{static_cast<int64_t>(i), order[i].end}
                       : Interval{trace_.start_ns()[row], end_ns(row)});
    }
  }

 private:
  // Of a thread with lanes: at position i of the order, [i, end) are the
  // event and all inside it.
  struct NestedRow {
    Row row = kNoRow;
    uint32_t end = 0;
  };

  bool OwnParents();
  void ResolveAllLanes();
  void ResolveLanes(size_t thread);
  void OrderLanes(size_t thread);
  bool CallsContainEvents() const;
  void SkipApiCalls();
  void AddDeviceTime();

  const Trace& trace_;
  Threads threads_;
  Census census_;
  Column<DeviceWork> work_;
  CaptureOrigins origins_;
  // Only where they differ from Nesting's.
  Column<Row> own_parent_;
  // Both are empty if memory was refused.
  std::span<const Row> parent_;
  std::vector<std::vector<NestedRow>> nested_;  // by thread; with lanes
  Column<int64_t> gpu_ns_;
  uint64_t orphans_ = 0;
};

}  // namespace stepscope
