// SPDX-License-Identifier: Apache-2.0
//
// The events of a trace as "X" and "i" entries: the part whose speed counts.
#pragma once

#include "exporters/chrome/chrome.h"
#include "exporters/chrome/escaped_names.h"
#include "exporters/chrome/rows.h"
#include "exporters/chrome/side_events.h"
#include "exporters/chrome/time_base.h"
#include "exporters/out_buffer.h"
#include "trace/trace.h"

namespace stepscope::chrome {

// Each entry is followed by a comma and a newline.
// `memory` writes what belongs to an event behind it; may be null.
void WriteSlices(const Trace& trace, const TimeBase& base, ChromeStyle style,
                 EscapedNames& names, Rows& rows, OutBuffer& out,
                 MemoryWriter* memory);

}  // namespace stepscope::chrome
