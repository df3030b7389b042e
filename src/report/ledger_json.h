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
// "no_launch":N}; the last counts device events whose launch is not recorded,
// which are among those kept.
void WriteLedger(JsonWriter& json, const Trace& trace, uint64_t no_launch);

}  // namespace stepscope
