// SPDX-License-Identifier: Apache-2.0
//
// Device work and the host event that launched it: by correlation id, else by
// external id.
#pragma once

#include "analysis/census.h"
#include "base/column.h"
#include "trace/trace.h"

namespace stepscope {

// A kernel, copy or set on a stream.
struct DeviceWork {
  Row row = kNoRow;
  Row launch = kNoRow;  // host event of the same id; kNoRow: not recorded
  Row owner = kNoRow;   // innermost host event around it that is no API call
  uint32_t origin = kNoRow;  // what it was captured in: capture_origin.h
};

// All device work, stream by stream; `owner` and `origin` are left to
// EventTree. An id that
// is used again belongs to the last launch that began no later than the work.
// Empty where memory is refused.
Column<DeviceWork> FindLaunches(const Trace& trace, const Census& census);

}  // namespace stepscope
