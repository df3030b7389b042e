// SPDX-License-Identifier: Apache-2.0
//
// The process and the threads of a capture, from its tables.
#pragma once

#include <cstdint>

#include "importers/capture/clock_map.h"
#include "importers/capture/metadata.h"
#include "trace/build/trace_builder.h"

namespace stepscope::capture {

// Uid of the entry that counts losses which no thread's entry can.
inline constexpr uint32_t kNoThread = 0;

// `offset_ns` is added to all times.
Process MakeProcess(const Metadata& tables, const ClockMap& clock,
                    int64_t offset_ns, TraceBuilder& builder);

// The track of a thread, whether or not the capture has an entry of it.
Track MakeThreadTrack(uint32_t uid, const Metadata& tables, uint32_t process,
                      TraceBuilder& builder);

}  // namespace stepscope::capture
