// SPDX-License-Identifier: Apache-2.0
//
// The keys `source` and `ledger`, which every JSON output about a trace has.
#pragma once

#include "base/json_writer.h"
#include "trace/trace.h"

namespace stepscope {

// "source":{"format":"capture","files":["a.sscap"]}
void WriteSource(JsonWriter& json, const Trace& trace);
// "ledger":{"seen":N,"kept":N,"repaired":{reason:N},"rejected":{reason:N},
// "no_launch":N,"outlives_parent":N}; the last two are among those kept.
struct AmongKept {
  uint64_t no_launch = 0;  // device events whose launch is not recorded
  // Host events that end after the event in which they began: CountOutliving().
  uint64_t outlives_parent = 0;
};
void WriteLedger(JsonWriter& json, const Trace& trace, AmongKept among_kept);

}  // namespace stepscope
