// SPDX-License-Identifier: Apache-2.0
//
// ByName: adds up host events by name, for the whole process or per thread.
#pragma once

#include <stepscope/c.h>

#include <cstdint>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/flat_map.h"
#include "analysis/replayed_calls.h"
#include "analysis/stats.h"

namespace stepscope {

// Where an event comes in Paddle's walk over the threads in ascending order,
// each from its last event back, parents first. Decides the order of rows
// that are equal or not sorted.
struct Visit {
  uint32_t thread = kNoThread;  // after all others, as long as not visited
  Row row = kNoRow;
  int64_t end_ns = 0;

  bool Before(const Visit& other) const {
    if (thread != other.thread) return thread < other.thread;
    if (end_ns != other.end_ns) return end_ns > other.end_ns;
    return row < other.row;
  }
};

struct NameStats {
  StringId name;
  uint32_t group = 0;         // thread, or 0 when all are taken together
  uint64_t calls = 0;         // not inside another of that name
  uint64_t nested_calls = 0;  // the others
  TimeStats cpu;              // of `calls`
  OpenSpan open;              // of `open_thread`
  Visit first;
  TimeStats gpu;
  int64_t self_gpu_ns = 0;
  int64_t self_cpu_ns = 0;  // of all calls, where Add() is told it
  uint32_t open_thread = kNoThread;
};

class ByName {
 public:
  ByName(const EventTree& tree, bool per_thread)
      : tree_(tree),
        per_thread_(per_thread),
        has_work_(!tree.work().empty()),
        slot_of_name_(per_thread ? 0 : tree.trace().strings().size(), kNone) {}

  // REQUIRES: events of a thread one after the other, with the span that
  // ForEachNested gives. Returns the slot of the name, with kNested if the
  // event is inside one of the same name: then it is part of that call, but
  // its own time is the name's all the same.
  static constexpr uint32_t kNested = 0x40000000u;
  uint32_t Add(Row row, uint32_t thread, const Interval& span,
               int64_t self_ns = 0) {
    const Trace& trace = tree_.trace();
    const uint32_t slot = SlotOf(thread, trace.name()[row]);
    NameStats& stats = stats_[slot];
    stats.self_cpu_ns = SaturatingAdd(stats.self_cpu_ns, self_ns);
    if (stats.open_thread != thread) {
      stats.open_thread = thread;
      stats.open = {};
    }
    if (!stats.open.Enter(span.begin, span.end)) {
      ++stats.nested_calls;
      return slot | kNested;
    }
    ++stats.calls;
    stats.cpu.Add(trace.dur_ns()[row]);
    if (has_work_) stats.gpu.Add(tree_.gpu_ns(row));
    const Visit visit{thread, row, tree_.end_ns(row)};
    if (visit.Before(stats.first)) stats.first = visit;
    return slot;
  }

  // The same for a call of a graph.
  uint32_t Add(const ReplayedCall& call) {
    const uint32_t thread = tree_.thread_of(call.launch);
    const uint32_t slot = SlotOf(thread, call.name);
    NameStats& stats = stats_[slot];
    if (call.nested) {
      ++stats.nested_calls;
      return slot | kNested;
    }
    ++stats.calls;
    stats.cpu.Add(0);
    stats.gpu.Add(call.gpu_ns);
    const Visit visit{thread, call.launch, tree_.end_ns(call.launch)};
    if (visit.Before(stats.first)) stats.first = visit;
    return slot;
  }

  // The slot of an event that was added.
  uint32_t Find(Row row, uint32_t thread) {
    return SlotOf(thread, tree_.trace().name()[row]);
  }
  uint32_t Find(const ReplayedCall& call) {
    return SlotOf(tree_.thread_of(call.launch), call.name);
  }
  // That of the innermost operator that the work was captured in; kNested if
  // there is none.
  uint32_t FindCaptured(const DeviceWork& work) {
    for (const CapturedIn& event : tree_.captured_in(work))
      if (event.type == STEPSCOPE_OPERATOR && work.launch != kNoRow)
        return SlotOf(tree_.thread_of(work.launch), event.name);
    return kNested;
  }

  std::vector<NameStats>& stats() { return stats_; }
  // Slots by group, then in order of first visit.
  std::vector<uint32_t> Order() const;

 private:
  static constexpr uint32_t kNone = FlatMap::kNew;
  static uint64_t Key(uint32_t thread, StringId name) {
    return uint64_t{thread} << 32 | name.v;
  }

  uint32_t SlotOf(uint32_t thread, StringId name) {
    uint32_t slot = per_thread_ ? by_thread_.Insert(Key(thread, name))
                                : slot_of_name_[name.v];
    if (slot != kNone) return slot;
    return NewSlot(thread, name);
  }
  uint32_t NewSlot(uint32_t thread, StringId name);

  const EventTree& tree_;
  const bool per_thread_;
  const bool has_work_;
  std::vector<uint32_t> slot_of_name_;
  FlatMap by_thread_;
  std::vector<NameStats> stats_;
};

}  // namespace stepscope
