// SPDX-License-Identifier: Apache-2.0
//
// The tables beyond Paddle's as members of the summary's JSON.
#pragma once

#include "analysis/summary.h"
#include "base/json_writer.h"
#include "report/table_options.h"

namespace stepscope {

// p50_ns, p90_ns, p99_ns, histogram; null and [] of an empty one.
void WriteSpread(JsonWriter& json, const Spread& spread);
// peak_at_ns, live_at_peak, before_recording_bytes, leak_candidates.
void WriteMemoryLife(JsonWriter& json, const MemoryLife& life);
// waterfall, idle, launch, outliers, flops; null or [] where not asked for.
void WriteStepTables(JsonWriter& json, const Summary& summary,
                     const TableOptions& options);

}  // namespace stepscope
