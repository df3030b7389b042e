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

  // `visit`: where it is met first; its end is the operator's, so that rows
  // come in the order of Paddle's walk.
  void AddInner(const EventTree& tree, Row row, uint32_t op,
                const Visit& visit);
  // The slot of an inner event that was added.
  uint32_t FindInner(const EventTree& tree, Row row, uint32_t op);
  // `level`: the operator's slot, or kInner | the inner event's.
  void AddDevice(const EventTree& tree, const DeviceWork& work,
                 uint32_t level, const Visit& visit);

  void Finish();  // nothing is added afterwards
  // Both REQUIRE: Finish() was called, or everything added has one level.
  std::vector<OperatorInnerRow> InnerRows(const Trace& trace, uint32_t op,
                                          const OperatorRow& row) const;
  std::vector<OperatorDeviceRow> DeviceRows(const Trace& trace,
                                            uint32_t level,
                                            int64_t whole_ns) const;

 private:
  struct Entry {
    uint32_t level = 0;
    uint32_t slot = 0;  // before sorting
    StringId name;
    uint64_t calls = 0;
    TimeStats cpu;
    TimeStats gpu;
    Visit first;
  };
  using Entries = std::vector<Entry>;

  // Finds entries by (level, name). A level mostly has one name, so the last
  // one found is tried first.
  struct Index {
    static constexpr uint32_t kNone = FlatMap::kNew;
    FlatMap map;
    std::vector<uint32_t> last[2];  // by slot: of operators, of inner events

    uint32_t& Last(uint32_t level) {
      std::vector<uint32_t>& slots = last[level >= kInner];
      const uint32_t slot = level & ~kInner;
      if (slot >= slots.size()) slots.resize(2 * slot + 16, kNone);
      return slots[slot];
    }
  };

  static Entry& At(Index& index, Entries& entries, uint32_t level,
                   StringId name);
  static void Sort(Entries& entries);
  static std::pair<size_t, size_t> Range(const Entries& entries,
                                         uint32_t level);

  Index inner_index_;
  Index device_index_;
  Entries inner_;
  Entries device_;
};

}  // namespace stepscope
