// SPDX-License-Identifier: Apache-2.0
//
// How busy the host threads of a trace are: what the overview of a timeline
// shows where no device worked.
#pragma once

#include <cstdint>
#include <string>

#include "trace/trace.h"

namespace stepscope::server {

// As SharesJson: for each pixel the share of its time in which a thread is in
// any event, as the mean of all threads. Steps do not count, since a thread is
// in one all the time. Needs memory for the pixels, not for the events.
std::string HostBusyJson(const Trace& trace, int64_t origin_ns,
                         int64_t begin_ns, int64_t end_ns, uint32_t pixels);

}  // namespace stepscope::server
