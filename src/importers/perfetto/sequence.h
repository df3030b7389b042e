// SPDX-License-Identifier: Apache-2.0
//
// Sequence: what packets of one writer may refer to: strings by number,
// defaults, and the last value of what counts from packet to packet.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace stepscope::pftrace {

inline constexpr uint32_t kNone = 0xffffffffu;

// Numbers of things by interned id. Ids count from 1 as a rule; others cost no
// memory for those between them.
class Interned {
 public:
  void Set(uint64_t iid, uint32_t value) {
    if (iid < 2 * dense_.size() + kFirst) {
      if (iid >= dense_.size())
        dense_.resize(static_cast<size_t>(iid) + 1, kNone);
      dense_[static_cast<size_t>(iid)] = value;
    } else {
      sparse_[iid] = value;
    }
  }
  // kNone if it is not defined.
  uint32_t Find(uint64_t iid) const {
    if (iid < dense_.size() && dense_[static_cast<size_t>(iid)] != kNone)
        [[likely]]
      return dense_[static_cast<size_t>(iid)];
    const auto it = sparse_.find(iid);
    return it == sparse_.end() ? kNone : it->second;
  }

 private:
  static constexpr uint64_t kFirst = 8;

  std::vector<uint32_t> dense_;
  std::unordered_map<uint64_t, uint32_t> sparse_;
};

struct Sequence {
  // What "incremental state cleared" makes a reader forget.
  struct State {
    Interned names;       // StringIds
    Interned categories;  // of Types
    Interned keys;        // StringIds
    Interned texts;       // StringIds
    uint64_t track = 0;   // default
    uint64_t clock = 0;   // default; 0: none
    bool has_track = false;
    uint32_t thread = kNone;  // of TrackTable: that of an old descriptor
    std::vector<uint64_t> extra_uuids;
    std::vector<uint64_t> extra_double_uuids;
    std::unordered_map<uint32_t, int64_t> counters;  // last value by track
  };

  std::unique_ptr<State> state;  // null: nothing was stated
  uint64_t number = 0;
  bool cleared = false;  // its state is whole, as far as is known
  bool seen = false;
  // Of the packets that state times in microseconds since the last one.
  bool has_reference = false;
  int64_t reference_us = 0;

  State& Make() {
    if (!state) state = std::make_unique<State>();
    return *state;
  }
};

}  // namespace stepscope::pftrace
