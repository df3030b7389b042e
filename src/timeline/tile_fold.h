// SPDX-License-Identifier: Apache-2.0
//
// TileFold: what has come to lie in one bucket, while it is put together.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "timeline/pyramid_box.h"
#include "trace/trace.h"

namespace stepscope {

inline constexpr int kBusyBits = 8;  // busy time is kept in 1/256 units

// The busy share of a mark that is `w` units long, 0..254.
inline uint32_t TileFill(uint32_t busy, uint32_t w) {
  // A division takes as long as all else that a mark costs. No mark is longer
  // than two buckets.
  static constexpr auto kPerUnit = [] {
    std::array<uint32_t, (2u << kUnitBits) + 2> per_unit{};
    for (uint32_t i = 1; i < per_unit.size(); ++i)
      per_unit[i] = (254u << 16) / (i << 8);
    return per_unit;
  }();
  const uint32_t units = std::min<uint32_t>(w, kPerUnit.size() - 1);
  return static_cast<uint32_t>(
      std::min<uint64_t>((uint64_t{busy} * kPerUnit[units]) >> 16, 254));
}

// Several events, or one. Times in units of the query, from the begin of its
// tile.
struct TileFold {
  uint32_t x = 0;
  uint32_t end = 0;
  uint32_t busy = 0;       // 1/256 units
  uint32_t name_busy = 0;  // of that, at least, by the name
  uint32_t count = 0;      // 0: nothing
  Row row = kNoRow;        // one of the longest
  uint32_t name = 0;
  uint32_t event_class = 0;

  // REQUIRES: both begin in one bucket, and `other` no earlier.
  void Merge(const TileFold& other, std::span<const int64_t> dur_ns) {
    end = std::max(end, other.end);
    busy += other.busy;
    count += other.count;
    if (dur_ns[other.row] > dur_ns[row]) row = other.row;
    if (other.name == name) {
      name_busy += other.name_busy;
    } else if (other.name_busy > name_busy) {
      name = other.name;
      name_busy = other.name_busy;
      event_class = other.event_class;
    }
  }
};

}  // namespace stepscope
