// SPDX-License-Identifier: Apache-2.0
//
// MemoryMap: the memory of one process and place as the page draws it: what its
// groups held over time, and each allocation as a box in time and address.
// Made of a trace once; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/interval.h"
#include "analysis/memory_accounts.h"
#include "timeline/memory_pyramid.h"
#include "timeline/stacked_area.h"

namespace stepscope::server {

// Addresses that were reserved, put one behind the other.
struct AddressRange {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t at = 0;  // where it begins on the map
};

// What allocations are put together as, in one of the four ways.
struct MemoryGroups {
  // The largest first; then "other", and at last what was there before.
  std::vector<std::string> names;
  std::vector<uint8_t> of_owner;
  std::unique_ptr<const StackedArea> area;
};

class MemoryMap {
 public:
  // Groups with a name of their own.
  static constexpr size_t kMostGroups = 12;

  // `end_ns`: of what is never freed. Refers to the tree.
  MemoryMap(const EventTree& tree, MemoryAccount account, int64_t end_ns);

  const MemoryAccount& account() const { return account_; }
  const std::vector<AddressRange>& ranges() const { return ranges_; }
  uint64_t bytes() const;  // of all ranges
  const MemoryGroups& groups(MemoryBy by) const;
  const MemoryPyramid& pyramid() const;
  // Of a change of a group's area: the event of Trace::memory(); SIZE_MAX of
  // StackedArea::kNone.
  size_t EventOf(size_t change) const;
  // The last event of the account at this time or before; SIZE_MAX: none.
  size_t EventAt(int64_t time_ns) const;
  // The shortest time in which 19 of 20 events of the account happen; both ends
  // are times of events.
  Interval MostEvents() const;
  size_t held_bytes() const;  // by this object

 private:
  // An event that took or gave back.
  struct Change {
    uint32_t event = 0;
    uint32_t allocation = 0;
  };

  void FindRanges();
  void OrderChanges();
  uint64_t PlaceOf(uint64_t address) const;
  MemoryBox BoxOf(size_t allocation) const;
  MemoryGroups MakeGroups(MemoryBy by) const;
  HeldChange HeldOf(size_t change, const std::vector<uint8_t>& of_owner) const;

  const EventTree& tree_;
  const MemoryAccount account_;
  const int64_t end_ns_;
  std::vector<AddressRange> ranges_;
  std::vector<Change> changes_;  // by time
  mutable std::mutex mutex_;
  mutable std::array<std::unique_ptr<const MemoryGroups>, 4> groups_;
  mutable std::unique_ptr<const MemoryPyramid> pyramid_;
};

}  // namespace stepscope::server
