// SPDX-License-Identifier: Apache-2.0
//
// What stands under an operator in its table: inner events, and device work
// of the operator or of an inner event. Filled in any order, then finished,
// then read. An operator is named by its slot in ByName.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/flat_map.h"
#include "analysis/tables/by_name.h"
#include "analysis/tables/operator.h"

namespace stepscope {

class OperatorDetail {
 public:
  // Marks the level of device work as an inner event's slot.
  static constexpr uint32_t kInner = 0x80000000u;

  // `span`: of EventTree::ForEachNested. `visit`: where it is met first; its
  // end is the operator's, so that rows come in the order of Paddle's walk.
  // Returns the level of device work that the event launches.
  uint32_t AddInner(const EventTree& tree, Row row, const Interval& span,
                    uint32_t op, const Visit& visit) {
    Entry& entry = inner_.At(op, tree.trace().name()[row]);
    if (visit.Before(entry.first)) entry.first = visit;
    if (entry.open_thread != visit.thread) {
      entry.open_thread = visit.thread;
      entry.open = {};
    }
    if (entry.open.Enter(span.begin, span.end)) {
      ++entry.calls;
      entry.cpu.Add(tree.trace().dur_ns()[row]);
      entry.gpu.Add(tree.gpu_ns(row));
    } else {
      ++entry.nested_calls;
    }
    return kInner | entry.slot;
  }
  // `level`: the operator's slot, or what AddInner returned.
  void AddDevice(const EventTree& tree, const DeviceWork& work, uint32_t level,
                 const Visit& visit) {
    Entry& entry = device_.At(level, tree.trace().name()[work.row]);
    ++entry.calls;
    if (visit.Before(entry.first)) entry.first = visit;
    entry.gpu.Add(tree.trace().dur_ns()[work.row]);
  }

  void Finish();  // nothing is added afterwards
  // Both REQUIRE: Finish() was called, or everything added has one level.
  std::vector<OperatorInnerRow> InnerRows(const Trace& trace, uint32_t op,
                                          const OperatorRow& row) const;
  std::vector<OperatorDeviceRow> DeviceRows(const Trace& trace, uint32_t level,
                                            int64_t whole_ns) const;

 private:
  struct Entry {
    uint32_t level = 0;
    uint32_t slot = 0;  // before sorting
    StringId name;
    uint32_t calls = 0;
    // What comes next in the level, round about; at first itself.
    uint32_t next = 0;
    StringId next_name;
    TimeStats gpu;
    TimeStats cpu;
    Visit first;
    OpenSpan open;  // of `open_thread`; inner events only
    uint32_t open_thread = kNoThread;
    uint32_t nested_calls = 0;
  };
  using Entries = std::vector<Entry>;

  // Entries by (level, name). What is inside a level comes in the same order
  // every time, as a rule: so the one after the last is expected.
  class Index {
   public:
    Entry& At(uint32_t level, StringId name) {
      const std::vector<Expected>& expected = expected_[level >= kInner];
      const uint32_t at = level & ~kInner;
      if (at < expected.size() && expected[at].slot != kNone &&
          expected[at].name == name) {
        Entry& entry = entries_[expected[at].slot];
        if (entry.next != entry.slot) Expect(entry);
        return entry;
      }
      return Search(level, name);
    }
    Entries& entries() { return entries_; }
    const Entries& entries() const { return entries_; }

   private:
    static constexpr uint32_t kNone = FlatMap::kNew;
    struct Expected {
      StringId name;
      uint32_t slot = kNone;
    };

    Entry& Search(uint32_t level, StringId name);
    // After `entry` has come.
    void Expect(const Entry& entry) {
      expected_[entry.level >= kInner][entry.level & ~kInner] = {
          entry.next_name, entry.next};
    }

    Entries entries_;
    FlatMap map_;
    std::vector<Expected> expected_[2];  // by slot: of operators, of inner
    std::vector<uint32_t> last_[2];      // added there
  };

  static void Sort(Entries& entries);
  static std::pair<size_t, size_t> Range(const Entries& entries,
                                         uint32_t level);

  Index inner_;
  Index device_;
};

}  // namespace stepscope
