// SPDX-License-Identifier: Apache-2.0
//
// The events of a trace: a packet where each begins and one where it ends.
#pragma once

#include "exporters/perfetto/packets.h"
#include "exporters/perfetto/tracks.h"
#include "trace/trace.h"

namespace stepscope::perfetto {

// Times are from `zero_ns`. Arrows are written if `dataflow`.
void WriteSlices(const Trace& trace, int64_t zero_ns, bool dataflow,
                 const Tracks& tracks, Packets& packets);

}  // namespace stepscope::perfetto
