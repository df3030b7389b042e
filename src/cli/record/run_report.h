// SPDX-License-Identifier: Apache-2.0
//
// What a run has to say when its command has ended.
#pragma once

#include <string>
#include <vector>

#include "cli/record/run_captures.h"

namespace stepscope {

// Lines about processes of the run: who was killed, who still runs, whose last
// events could not be fetched. Those alike are one line. Pure.
std::vector<std::string> DescribeProcesses(
    const std::vector<CaptureEnding>& ended,
    const std::vector<RunningCapture>& running);

// Prints where the captures are, and these lines. `folder` is removed if there
// is nothing in it and it was made for this run.
void ReportRun(const std::string& folder, bool fresh, bool quiet,
               const std::vector<std::string>& lines);

}  // namespace stepscope
