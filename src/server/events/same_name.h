// SPDX-License-Identifier: Apache-2.0
//
// All events of one name.
#pragma once

#include <string>
#include <vector>

#include "base/json_writer.h"
#include "server/files/open_trace.h"

namespace stepscope::server {

// In the order of the trace: by track, then by time.
std::vector<Row> RowsNamed(const Trace& trace, StringId name);

// calls, total, mean, min, max, p50, p90, p99 and a histogram.
void WriteSameName(JsonWriter& json, const OpenTrace& open, StringId name);

// How many there are, and the first of them by time.
std::string SameNameJson(const OpenTrace& open, StringId name);

}  // namespace stepscope::server
