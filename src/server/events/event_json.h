// SPDX-License-Identifier: Apache-2.0
//
// One event in full: what it is, what is around it, what launched it and what
// it launched, and how it compares with all calls of the same name.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "server/files/open_trace.h"

namespace stepscope::server {

// REQUIRES: there is such a row.
std::string EventJson(const OpenTrace& open, Row row);

// "row", "name", "class", "track", "depth", "start" and "dur" of an event.
void WriteEventPlace(JsonWriter& json, const OpenTrace& open, Row row);

}  // namespace stepscope::server
