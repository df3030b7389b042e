// SPDX-License-Identifier: Apache-2.0
//
// Ticks of a batch of events to nanoseconds, several at a time.
#pragma once

#include <cstdint>

#include "format/event_unpack.h"
#include "importers/capture/clock_map.h"

namespace stepscope::capture {

// Writes start and duration of each event of the batch, `offset_ns` added to
// the starts: to the nanosecond what ClockMap::Segment gives for each alone.
// False if not every event is plain (ended, within the segment); what was
// written then means nothing. Processors with AVX2 take half the time.
bool ConvertTimes(const ClockMap::Segment& segment, int64_t offset_ns,
                  const format::EventBatch& batch, int64_t* start_ns,
                  int64_t* dur_ns);
// The same without what only some processors have.
bool ConvertTimesPortably(const ClockMap::Segment& segment, int64_t offset_ns,
                          const format::EventBatch& batch, int64_t* start_ns,
                          int64_t* dur_ns);

}  // namespace stepscope::capture
