// SPDX-License-Identifier: Apache-2.0
//
// What stands around the list of events.
#pragma once

#include <cstdint>
#include <string>

#include "exporters/chrome/chrome.h"
#include "exporters/chrome/time_base.h"
#include "trace/trace.h"

namespace stepscope::chrome {

// From the start to the bracket of "traceEvents".
std::string Head(const Trace& trace, const TimeBase& base, int span_index,
                 ChromeStyle style);
// From that list's closing bracket to the end.
std::string Tail(const Trace& trace, const TimeBase& base, ChromeStyle style);

}  // namespace stepscope::chrome
