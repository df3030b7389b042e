// SPDX-License-Identifier: Apache-2.0
//
// What lies in a part of a timeline that a reader has marked.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "server/files/open_trace.h"

namespace stepscope::server {

// Events of one row that begin in [begin, end): how many, how busy, and the
// five names with most time. Exact. Times from the origin.
Result<std::string> MarkJson(const OpenTrace& open, uint32_t view_track,
                             uint32_t depth, int64_t begin_ns, int64_t end_ns);

// Events of some tracks that overlap [begin, end), by name. Totals and self
// times are what lies inside; the rest is of whole events.
Result<std::string> SelectJson(const OpenTrace& open,
                               std::span<const uint32_t> view_tracks,
                               int64_t begin_ns, int64_t end_ns);

}  // namespace stepscope::server
