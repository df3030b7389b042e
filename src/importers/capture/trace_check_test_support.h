// SPDX-License-Identifier: Apache-2.0
//
// What holds for every trace that came out of a capture, however damaged. For
// tests and fuzzers.
#pragma once

#include <cstdint>
#include <string>

#include "trace/trace.h"

namespace stepscope::capture {

// "" or what is wrong. `late_ends` is how many late ends the capture may hold:
// they are records that leave no table entry.
std::string CheckTrace(const Trace& trace, uint64_t late_ends);

}  // namespace stepscope::capture
