// SPDX-License-Identifier: Apache-2.0
//
// A part of a trace as one drawing, for a notebook or a page: SVG with its
// styles inside and no script. What is too small to see becomes one mark, so
// that its size depends on the picture, not on the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

namespace stepscope {

struct TimelineSvgOptions {
  int64_t begin_ns = INT64_MIN;  // default: the recorded window
  int64_t end_ns = INT64_MAX;
  size_t width = 960;      // pixels
  size_t max_tracks = 24;  // those with most events in the part
  size_t max_depth = 8;    // levels of a track
  // False: the page around has TimelineStyle().
  bool own_style = true;
  // A name as it is to be shown; none: as it was recorded.
  std::function<std::string(std::string_view)> display_name = {};
};

// The colours of a drawing, for the page around it.
std::string TimelineStyle();

// Light and dark by the reader's preference. Fails if the end is not after the
// begin.
Result<std::string> RenderTimelineSvg(const Trace& trace,
                                      const TimelineSvgOptions& options);

}  // namespace stepscope
