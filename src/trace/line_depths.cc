// SPDX-License-Identifier: Apache-2.0
#include "trace/line_depths.h"

#include <algorithm>

namespace stepscope {

TrackLines TrackLinesOf(const Trace& trace, const Track& track) {
  const auto types =
      trace.type().subspan(track.first, track.last - track.first);
  if (types.empty()) return TrackLines::kNative;
  const LineKind first = LineKindOf(types.front());
  const bool both = std::any_of(types.begin(), types.end(), [&](uint16_t type) {
    return LineKindOf(type) != first;
  });
  if (both) return TrackLines::kBoth;
  return first == LineKind::kPython ? TrackLines::kPython : TrackLines::kNative;
}

LinePlace LinePlaceOf(const Trace& trace, Row row) {
  LinePlace place = {LineKindOf(trace.type()[row]), 0};
  const Nesting& nesting = trace.nesting();
  for (Row above = nesting.parent[row]; above != kNoRow;
       above = nesting.parent[above]) {
    if (LineKindOf(trace.type()[above]) == place.kind) ++place.depth;
  }
  return place;
}

LineDepths::LineDepths(const Trace& trace, Row row)
    : depth_(trace.nesting().depth.view()), type_(trace.type()) {
  std::vector<Row> around;  // innermost first
  const Nesting& nesting = trace.nesting();
  for (Row above = nesting.parent[row]; above != kNoRow;
       above = nesting.parent[above])
    around.push_back(above);
  native_above_.assign(around.size() + 2, 0);
  std::reverse(around.begin(), around.end());
  for (size_t i = 0; i < around.size(); ++i) {
    const bool native = LineKindOf(type_[around[i]]) == LineKind::kNative;
    native_above_[i + 1] = native_above_[i] + (native ? 1 : 0);
  }
}

}  // namespace stepscope
