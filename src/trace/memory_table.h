// SPDX-License-Identifier: Apache-2.0
//
// MemoryTable: the memory events of a trace. Allocators make tens of millions
// of them and few recorders state totals, so those lie apart and only where an
// event has some: 40 bytes an event instead of 96.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>

#include "base/column.h"
#include "base/string_pool.h"

namespace stepscope {

enum class MemoryKind : uint32_t {
  kAllocate,
  kFree,
  kReservedAllocate,
  kReservedFree
};

struct MemoryEvent {
  int64_t time_ns = 0;
  uint64_t address = 0;
  int64_t bytes = 0;  // negative when freed
  uint64_t total_allocated = 0;
  uint64_t total_reserved = 0;
  StringId place;
  uint32_t track = 0;
  MemoryKind kind = MemoryKind::kAllocate;
  // The event it belongs to: what the file says, if owner_stated; else the
  // innermost event of the track at that time. 0xffffffff: none.
  uint32_t owner = 0xffffffffu;
  // Peaks of the process's life so far, as the file states them; 0: it does
  // not. Those of the recorded window follow from the totals.
  uint64_t peak_allocated = 0;
  uint64_t peak_reserved = 0;
  bool owner_stated = false;
  // How much of `bytes` the allocator added to what it was asked for; 0 where
  // the file does not say.
  int64_t padding_bytes = 0;
};

// Both are stored as they lie in memory: snapshot_file.h.
struct StoredMemoryEvent {
  int64_t time_ns = 0;
  uint64_t address = 0;
  int64_t bytes = 0;
  StringId place;
  uint32_t track = 0;
  uint32_t owner = 0;
  // Bits 0 and 1: the kind; bit 2: owner_stated; the rest: the padding.
  uint32_t packed = 0;

  static constexpr uint32_t kMostPadding = (1u << 29) - 1;
  MemoryKind kind() const { return static_cast<MemoryKind>(packed & 3); }
  bool owner_stated() const { return (packed & 4) != 0; }
  int64_t padding_bytes() const { return packed >> 3; }
  void SetPadding(int64_t padding) {
    const int64_t kept = padding < 0 || padding > kMostPadding ? 0 : padding;
    packed = (packed & 7) | static_cast<uint32_t>(kept) << 3;
  }
};
static_assert(sizeof(StoredMemoryEvent) == 40);
struct StoredMemoryTotals {
  uint64_t allocated = 0;
  uint64_t reserved = 0;
  uint64_t peak_allocated = 0;
  uint64_t peak_reserved = 0;
};

class MemoryTable {
 public:
  // Events are made when they are asked for: they live as long as the copy.
  class Iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = MemoryEvent;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = MemoryEvent;

    Iterator() = default;
    Iterator(const MemoryTable* table, size_t at) : table_(table), at_(at) {}
    MemoryEvent operator*() const { return (*table_)[at_]; }
    MemoryEvent operator[](difference_type n) const {
      return (*table_)[at_ + static_cast<size_t>(n)];
    }
    Iterator& operator++() { return *this += 1; }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    Iterator& operator--() { return *this += -1; }
    Iterator operator--(int) {
      Iterator old = *this;
      --*this;
      return old;
    }
    Iterator& operator+=(difference_type n) {
      at_ += static_cast<size_t>(n);
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    friend Iterator operator+(Iterator i, difference_type n) { return i += n; }
    friend Iterator operator+(difference_type n, Iterator i) { return i += n; }
    friend Iterator operator-(Iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.at_ - b.at_);
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.at_ == b.at_;
    }
    friend auto operator<=>(const Iterator& a, const Iterator& b) {
      return a.at_ <=> b.at_;
    }

   private:
    const MemoryTable* table_ = nullptr;
    size_t at_ = 0;
  };

  size_t size() const { return events_.size(); }
  bool empty() const { return events_.empty(); }
  MemoryEvent operator[](size_t i) const;
  MemoryEvent back() const { return (*this)[size() - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }
  size_t bytes() const {
    return events_.view().size_bytes() + totals_.view().size_bytes();
  }

  // False where memory is refused.
  [[nodiscard]] bool Add(const MemoryEvent& event);
  // Orders by time; those of one time stay as they are.
  [[nodiscard]] bool Sort();

  std::span<const StoredMemoryEvent> stored() const { return events_.view(); }
  std::span<const StoredMemoryTotals> totals() const { return totals_.view(); }
  // For what comes to light later. REQUIRES, of who adds or removes events: no
  // event states totals.
  Column<StoredMemoryEvent>& events() { return events_; }
  Column<StoredMemoryTotals>& event_totals() { return totals_; }

 private:
  Column<StoredMemoryEvent> events_;
  Column<StoredMemoryTotals> totals_;  // of each event, or empty
};

}  // namespace stepscope
