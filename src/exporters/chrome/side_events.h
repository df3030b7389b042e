// SPDX-License-Identifier: Apache-2.0
//
// The entries of a file that are no events of a track. Each function writes
// entries that are followed by a comma and a newline.
#pragma once

#include "exporters/chrome/escaped_names.h"
#include "exporters/out_buffer.h"
#include "exporters/chrome/rows.h"
#include "exporters/chrome/time_base.h"
#include "trace/trace.h"

namespace stepscope::chrome {

// What all of them need.
struct Context {
  const Trace& trace;
  TimeBase base;
  EscapedNames& names;
  Rows& rows;
  OutBuffer& out;
};

// "C": one series per counter.
void WriteCounters(const Context& context);
// "i" entries named [memory], as Paddle writes them, and a "C" series of the
// totals for each place.
void WriteMemory(const Context& context);
// "s", "t" and "f": arrows that the program drew.
void WriteFlows(const Context& context);
// "s" and "f": arrows from a launching call to the device work it caused.
void WriteLaunches(const Context& context);

}  // namespace stepscope::chrome
