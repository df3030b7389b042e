// SPDX-License-Identifier: Apache-2.0
//
// What the timeline colours an event by: its EventClass.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "timeline/pyramid.h"
#include "trace/trace.h"

namespace stepscope::server {

// The class of every event of a trace.
PyramidClasses MakeEventClasses(const Trace& trace);
// The same from what `of_name` of these was. Nothing: it cannot be of `trace`.
std::optional<PyramidClasses> EventClassesFrom(std::vector<uint8_t> of_name,
                                               const Trace& trace);

}  // namespace stepscope::server
