// SPDX-License-Identifier: Apache-2.0
//
// One argument of an event as text, whether the importer typed it or kept it
// as the file had it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

// "128, 1, 1" of a list; empty if the event has no such argument. `raw`: the
// raw arguments of the same event.
std::string ArgumentText(const Trace& trace, Row row, std::string_view raw,
                         std::string_view key);
// The number in it, if it is one.
std::optional<double> ArgumentNumber(const Trace& trace, Row row,
                                     std::string_view raw,
                                     std::string_view key);

}  // namespace stepscope
