// SPDX-License-Identifier: Apache-2.0
//
// The answer in a few sentences: what a page, a report and a list of traces
// say of a trace before all else. What lowers the worth of the rest comes
// first: a file that breaks off, records that were lost, time in which nothing
// was recorded.
#pragma once

#include <string>
#include <vector>

#include "analysis/summary.h"

namespace stepscope {

// REQUIRES: `summary` has advice and the waterfall.
std::vector<std::string> HeadlineOf(const Summary& summary);

// The same of a job of several ranks: who is late first.
std::vector<std::string> HeadlineOf(const RankJob& job);

}  // namespace stepscope
