// SPDX-License-Identifier: Apache-2.0
//
// TileWindow: the tiles that a query asks for, and times in their units.
#pragma once

#include <algorithm>
#include <cstdint>

#include "timeline/pyramid_box.h"

namespace stepscope {

inline constexpr int kTileUnitBits = kTileBits + kUnitBits;
inline constexpr uint32_t kTileUnits = 1u << kTileUnitBits;

struct TileWindow {
  int64_t origin = 0;  // of the pyramid, in times of the trace
  int k = 0;           // a bucket is 2^k ns
  uint64_t first_tile = 0;
  uint32_t tile_count = 0;
  int64_t begin = 0;  // of the first tile, from the origin
  int64_t end = 0;    // of the last one

  // So that its units fit into 32 bits.
  static constexpr uint32_t kMostTiles = 4096;

  // Tiles [first, first + count) as far as they begin at a time that there is.
  static TileWindow Of(int64_t origin, int k, uint64_t first, uint32_t count) {
    TileWindow window;
    window.origin = origin;
    window.k = k;
    window.first_tile = first;
    const int tile_bits = k + kTileBits;
    const uint64_t last = static_cast<uint64_t>(INT64_MAX) >> tile_bits;
    if (first > last) return window;
    window.tile_count =
        static_cast<uint32_t>(std::min<uint64_t>(count, last - first + 1));
    window.begin = static_cast<int64_t>(first << tile_bits);
    const uint64_t end = (first + window.tile_count) << tile_bits;
    window.end = static_cast<int64_t>(std::min<uint64_t>(end, INT64_MAX));
    return window;
  }

  uint32_t units() const { return tile_count << kTileUnitBits; }
  bool IsLong(int64_t dur_ns) const {
    return static_cast<uint64_t>(dur_ns) >> k != 0;
  }
  // Of ns from `begin` on.
  uint32_t UnitsDown(uint64_t ns) const {
    return static_cast<uint32_t>((ns << shift_up()) >> shift_down());
  }
  // Rounded up; beyond the end: one more than there are.
  uint32_t UnitsUp(uint64_t ns) const {
    const uint64_t most = static_cast<uint64_t>(end - begin) + 1;
    const uint64_t round = (uint64_t{1} << shift_down()) - 1;
    const uint64_t up =
        ((std::min(ns, most) << shift_up()) + round) >> shift_down();
    return std::min(static_cast<uint32_t>(up), units() + 1);
  }
  // The end of an event that reaches into the window, in times of the trace.
  uint32_t EndUnits(int64_t end_ns) const {
    return UnitsUp(
        static_cast<uint64_t>(std::max<int64_t>(end_ns - origin - begin, 0)));
  }
  int shift_up() const { return std::max(0, kUnitBits - k); }
  int shift_down() const { return std::max(0, k - kUnitBits); }
};

}  // namespace stepscope
