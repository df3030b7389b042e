// SPDX-License-Identifier: Apache-2.0
//
// PyramidMark: events that become one box, while they are added up. Keeps the
// four names with most time; what it says of a name is a lower bound.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "trace/trace.h"

namespace stepscope {

// Quarters of a logarithm: long events have a larger code than short ones.
inline uint8_t LengthCode(uint64_t ns) {
  if (ns < 4) return static_cast<uint8_t>(ns);
  const int log = 63 - std::countl_zero(ns);
  return static_cast<uint8_t>(log * 4 +
                              static_cast<int>((ns >> (log - 2)) & 3));
}

// 0..254 of 1.
inline uint8_t FillOf(uint64_t busy, uint64_t extent) {
  if (extent == 0 || busy >= extent) return 254;
  return static_cast<uint8_t>(254.0f * static_cast<float>(busy) /
                              static_cast<float>(extent));
}

// The share of a name that has `part` of `all`: 0 below one half, else 1..7.
inline uint8_t ShareCode(uint64_t part, uint64_t all) {
  const double share = static_cast<double>(part) /
                       static_cast<double>(std::max<uint64_t>(all, 1));
  if (share < 0.5) return 0;
  return static_cast<uint8_t>(
      1 + std::min(6, static_cast<int>((share - 0.5) * 14)));
}
// The least that such a share can be, of 256; at 8: that of a single event.
inline constexpr std::array<uint16_t, 9> kLeastShare = {0,   128, 146, 164, 182,
                                                        201, 219, 237, 256};

struct PyramidMark {
  // A name and its time. An event counts one ns more than it took, so that
  // those without duration count too.
  struct Name {
    uint32_t name;
    uint8_t event_class;
    uint64_t weight;
  };
  static constexpr size_t kNames = 4;

  int64_t start = 0;  // from the origin
  int64_t end = 0;
  uint64_t busy = 0;
  uint64_t weight = 0;
  int64_t longest_ns = 0;
  Row row = kNoRow;
  uint32_t count = 0;  // 0: empty
  uint32_t names = 0;
  // The level from which on it is one mark with what is before it.
  uint8_t merges_from = 0;
  std::array<Name, kNames> name;

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
    name[0] = {event_name, event_class, weight};
  }

  // As a copy, of what is in use.
  void Assign(const PyramidMark& other) {
    start = other.start;
    end = other.end;
    busy = other.busy;
    weight = other.weight;
    longest_ns = other.longest_ns;
    row = other.row;
    count = other.count;
    names = other.names;
    merges_from = other.merges_from;
    for (uint32_t i = 0; i < names; ++i) name[i] = other.name[i];
  }

  // REQUIRES: not empty, and `other` begins no earlier.
  void Add(const PyramidMark& other) {
    end = std::max(end, other.end);
    busy += other.busy;
    weight += other.weight;
    if (other.longest_ns > longest_ns) {
      longest_ns = other.longest_ns;
      row = other.row;
    }
    count += other.count;
    for (uint32_t i = 0; i < other.names; ++i) AddName(other.name[i]);
  }

  // The same of one event.
  void AddEvent(int64_t from, int64_t dur, Row event, uint32_t event_name,
                uint8_t event_class) {
    end = std::max(end, from + dur);
    const auto time = static_cast<uint64_t>(dur);
    busy += time;
    weight += time + 1;
    if (dur > longest_ns) {
      longest_ns = dur;
      row = event;
    }
    ++count;
    AddName({event_name, event_class, time + 1});
  }

  const Name& Heaviest() const {
    const Name* best = &name[0];
    for (uint32_t i = 1; i < names; ++i)
      if (name[i].weight > best->weight) best = &name[i];
    return *best;
  }

 private:
  void AddName(const Name& other) {
    size_t least = 0;
    for (size_t i = 0; i < names; ++i) {
      if (name[i].name == other.name) {
        name[i].weight += other.weight;
        return;
      }
      if (name[i].weight < name[least].weight) least = i;
    }
    if (names < kNames) {
      name[names++] = other;
    } else if (name[least].weight < other.weight) {
      name[least] = other;
    }
  }
};

}  // namespace stepscope
