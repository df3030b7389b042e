// SPDX-License-Identifier: Apache-2.0
//
// Census: which types of event occur where, counted in one pass before any
// table is computed, so that a table passes over nothing that it has no use
// for. Immutable once made and safe to read from several threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// Types are small numbers; what a damaged file makes of them shares one slot.
inline constexpr uint16_t kTypeSlots = 65;
inline constexpr uint16_t kOddTypes = kTypeSlots - 1;
constexpr uint16_t TypeSlot(uint16_t type) {
  return type < kOddTypes ? type : kOddTypes;
}

// A set of event types, one bit each but for the last, which is of all others.
using TypeSet = uint64_t;
constexpr TypeSet SetOf(uint16_t type) {
  return TypeSet{1} << (type < 63 ? type : 63);
}

class Census {
 public:
  using Counts = std::array<uint32_t, kTypeSlots>;  // by slot

  explicit Census(const Trace& trace);

  const Counts& counts(uint32_t track) const { return counts_[track]; }
  TypeSet types(uint32_t track) const { return types_[track]; }
  // With which types a name occurs, on threads and on streams.
  TypeSet host_types(StringId name) const { return host_types_[name.v]; }
  TypeSet device_types(StringId name) const { return device_types_[name.v]; }
  // Steps and stages of a track, in row order.
  std::span<const Row> marks(uint32_t track) const {
    return std::span(marks_).subspan(
        first_mark_[track], first_mark_[track + 1] - first_mark_[track]);
  }

 private:
  void Add(const Trace& trace, const Track& track,
           std::vector<TypeSet>& by_name);

  std::vector<Counts> counts_;       // by track
  std::vector<TypeSet> types_;       // by track
  std::vector<TypeSet> host_types_;  // by name
  std::vector<TypeSet> device_types_;
  std::vector<Row> marks_;
  std::vector<size_t> first_mark_;  // by track, and one more at the end
};

}  // namespace stepscope
