// SPDX-License-Identifier: Apache-2.0
//
// PyramidMark: events that become one box, while they are added up. Keeps the
// four names with most time; what it says of a name is a lower bound.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>

#include "trace/trace.h"

namespace stepscope {

// One of two numbers without a branch. What is chosen here is as good as
// random: a branch that is guessed wrong costs more than all else, and
// compilers make branches of `?:` now and then.
template <std::unsigned_integral T>
constexpr T Choose(bool first, T a, T b) {
  return b ^ ((a ^ b) & (T{0} - T{first}));
}

// 0..254 of 1.
inline uint8_t FillOf(uint64_t busy, uint64_t extent) {
  const auto all = static_cast<int64_t>(std::max<uint64_t>(extent, 1));
  const float share = 254.0f * static_cast<float>(static_cast<int64_t>(busy)) /
                      static_cast<float>(all);
  return static_cast<uint8_t>(std::min(share, 254.0f));
}

// The share of a name that has `part` of `all`: 0 below one half, else 1..7,
// one more for every 14th. Without a division, which others would wait for.
inline uint8_t ShareCode(uint64_t part, uint64_t all) {
  // So that nothing overflows.
  const int drop = std::max(static_cast<int>(std::bit_width(all)) - 60, 0);
  part >>= drop;
  all >>= drop;
  uint32_t code = 0;
  for (uint64_t of_14 = 7; of_14 <= 13; ++of_14)
    code += uint32_t{part * 14 >= all * of_14};
  return static_cast<uint8_t>(code);
}
// The least that such a share can be, of 256; at 8: that of a single event.
inline constexpr std::array<uint16_t, 9> kLeastShare = {0,   128, 146, 164, 182,
                                                        201, 219, 237, 256};

struct PyramidMark {
  static constexpr size_t kNames = 4;
  // The name of a place without one; no string has this id.
  static constexpr uint32_t kFree = UINT32_MAX;

  int64_t start = 0;  // from the origin
  int64_t end = 0;
  uint64_t busy = 0;
  uint64_t weight = 0;
  int64_t longest_ns = 0;
  Row row = kNoRow;
  uint32_t count = 0;  // 0: empty
  uint32_t names = 0;  // places in use
  // The level from which on it is one mark with what is before it.
  uint32_t merges_from = 0;
  // By place. An event counts one ns more than it took, so that those without
  // duration count too; 0: free.
  std::array<uint64_t, kNames> name_weight{};
  std::array<uint32_t, kNames> name{};
  std::array<uint32_t, kNames> name_class{};

  void Set(int64_t from, int64_t dur, Row event, uint32_t event_name,
           uint8_t event_class, uint8_t from_level) {
    start = from;
    end = from + dur;
    busy = static_cast<uint64_t>(dur);
    weight = busy + 1;
    longest_ns = dur;
    row = event;
    count = 1;
    names = 1;
    merges_from = from_level;
    name_weight = {weight, 0, 0, 0};
    name = {event_name, kFree, kFree, kFree};
    name_class = {event_class, 0, 0, 0};
  }

  // REQUIRES: not empty, and `other` begins no earlier.
  void Add(const PyramidMark& other) {
    end = std::max(end, other.end);
    busy += other.busy;
    weight += other.weight;
    row = Choose(other.longest_ns > longest_ns, other.row, row);
    longest_ns = std::max(longest_ns, other.longest_ns);
    count += other.count;
    for (uint32_t i = 0; i < other.names; ++i)
      AddName(other.name[i], other.name_class[i], other.name_weight[i]);
  }

  // The same of one event.
  void AddEvent(int64_t from, int64_t dur, Row event, uint32_t event_name,
                uint8_t event_class) {
    end = std::max(end, from + dur);
    const auto time = static_cast<uint64_t>(dur);
    busy += time;
    weight += time + 1;
    row = Choose(dur > longest_ns, event, row);
    longest_ns = std::max(longest_ns, dur);
    ++count;
    AddName(event_name, event_class, time + 1);
  }

  // The place of the name with most time; the first of equals.
  size_t Heaviest() const {
    const auto& w = name_weight;
    const size_t a = size_t{w[1] > w[0]};
    const size_t b = 2 + size_t{w[3] > w[2]};
    return Choose(std::max(w[2], w[3]) > std::max(w[0], w[1]), b, a);
  }

 private:
  size_t Lightest() const {
    const auto& w = name_weight;
    const size_t a = size_t{w[1] < w[0]};
    const size_t b = 2 + size_t{w[3] < w[2]};
    return Choose(std::min(w[2], w[3]) < std::min(w[0], w[1]), b, a);
  }

  // Adds to the place of that name, or takes the lightest one, which is a free
  // one if there is any.
  void AddName(uint32_t other, uint32_t other_class, uint64_t its) {
    const uint32_t found =
        uint32_t{name[0] == other} | uint32_t{name[1] == other} << 1 |
        uint32_t{name[2] == other} << 2 | uint32_t{name[3] == other} << 3;
    const auto first = static_cast<size_t>(std::countr_zero(found | 16));
    const bool is_there = found != 0;
    const size_t at = Choose(is_there, first, Lightest());
    const uint64_t before = name_weight[at];
    const bool take = !is_there & (its > before);
    name_weight[at] = Choose(take, its, before + Choose(is_there, its, {}));
    name[at] = Choose(take, other, name[at]);
    name_class[at] = Choose(take, other_class, name_class[at]);
    names = std::max(names, static_cast<uint32_t>(at) + 1);
  }
};

}  // namespace stepscope
