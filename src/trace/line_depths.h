// SPDX-License-Identifier: Apache-2.0
//
// The lines of a track: its events are drawn by depth, Python's apart from
// native ones. The depth of an event on its lines is the number of events of
// its own kind around it.
#pragma once

#include <stepscope/c.h>

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

enum class LineKind : uint8_t { kNative, kPython };

inline LineKind LineKindOf(uint16_t type) {
  const bool python = type == STEPSCOPE_PYTHON_OP ||
                      type == STEPSCOPE_PYTHON_USER_DEFINED ||
                      type == STEPSCOPE_PYTHON_FUNCTION;
  return python ? LineKind::kPython : LineKind::kNative;
}

// What a track has.
enum class TrackLines : uint8_t { kNative, kPython, kBoth };
TrackLines TrackLinesOf(const Trace& trace, const Track& track);

struct LinePlace {
  LineKind kind = LineKind::kNative;
  uint32_t depth = 0;
};
// Of any event, by its parents.
LinePlace LinePlaceOf(const Trace& trace, Row row);

// The same of consecutive rows of one track, each in a few instructions.
class LineDepths {
 public:
  // The first of them will be `row`.
  LineDepths(const Trace& trace, Row row);

  // REQUIRES: rows in order, none left out.
  LinePlace Next(Row row) {
    const uint32_t depth = depth_[row];
    if (depth + 2 > native_above_.size()) native_above_.resize(depth + 2);
    const uint32_t native = native_above_[depth];
    const LineKind kind = LineKindOf(type_[row]);
    native_above_[depth + 1] = native + (kind == LineKind::kNative ? 1 : 0);
    return {kind, kind == LineKind::kNative ? native : depth - native};
  }

 private:
  const std::span<const uint32_t> depth_;
  const std::span<const uint16_t> type_;
  // Native events around one of a depth that comes next.
  std::vector<uint32_t> native_above_;
};

}  // namespace stepscope
