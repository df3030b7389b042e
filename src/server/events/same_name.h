// SPDX-License-Identifier: Apache-2.0
//
// All calls of one name.
#pragma once

#include <string>
#include <vector>

#include "analysis/percentiles.h"
#include "base/json_writer.h"
#include "server/files/open_trace.h"

namespace stepscope::server {

// In the order of the trace: by track, then by time.
std::vector<Row> RowsNamed(const Trace& trace, StringId name);

// mean, min, max, p50, p90 and p99. May reorder them.
Spread WriteDurations(JsonWriter& json, std::vector<int64_t>& durations);

// Calls of the name and kind of an event, on tracks like its own; those inside
// another are a part of that. calls, nested, total, the above, a histogram.
void WriteSameName(JsonWriter& json, const OpenTrace& open, Row row);

// How many there are, and the first of them by time.
std::string SameNameJson(const OpenTrace& open, StringId name);

}  // namespace stepscope::server
