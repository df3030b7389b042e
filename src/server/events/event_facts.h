// SPDX-License-Identifier: Apache-2.0
//
// What a reader wants to know of a piece of device work before its arguments:
// how it was launched, how full it keeps the device, how fast it copies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace stepscope::server {

struct EventFact {
  std::string_view label;
  std::string value;  // with its unit
};

// Empty of host events. Leaves out what the trace does not say.
std::vector<EventFact> FactsOf(const Trace& trace, Row row);

}  // namespace stepscope::server
