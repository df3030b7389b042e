// SPDX-License-Identifier: Apache-2.0
//
// The entries of "traceEvents". Each function writes entries that are followed
// by a comma and a newline.
#pragma once

#include "exporters/chrome/escaped_names.h"
#include "exporters/kineto/form.h"
#include "exporters/kineto/ids.h"
#include "exporters/kineto/rows.h"
#include "exporters/out_buffer.h"
#include "trace/trace.h"

namespace stepscope::kineto {

// What all of them need.
struct Context {
  const Trace& trace;
  const Form& form;
  chrome::EscapedNames& names;
  const RowIds& rows;
  const RangeIds* ids;  // null where the file has ids of its own
  OutBuffer& out;
};

// "X" and "i": events of threads, streams and what lies over them.
void WriteSlices(const Context& context);
// "X": annotations on the streams that worked for them, where the file has
// none.
void WriteDeviceRanges(const Context& context);
// "i" entries named [memory].
void WriteMemory(const Context& context);
// "C": one series per counter. Kineto has none; viewers show them.
void WriteCounters(const Context& context);
// "s" and "f": from launch to device work, from a call to what it waited for
// where Kineto said so, and from forward to backward.
void WriteLaunches(const Context& context);
void WriteWaits(const Context& context);
void WriteFlows(const Context& context);
// The last entries: the span of the recording and its two ends, under the
// names of torch's profiler, whose tools find them there.
void WriteWindow(const Context& context);

}  // namespace stepscope::kineto
