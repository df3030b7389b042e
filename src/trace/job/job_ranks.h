// SPDX-License-Identifier: Apache-2.0
//
// Rules 5 and 6 of jobs.h: jobs that ranks say more about than time does.
#pragma once

#include <span>
#include <vector>

#include "trace/job/jobs.h"

namespace stepscope {

// `jobs` are what the other rules made of `files`.
std::vector<Job> ArrangeByRanks(std::span<const FileFacts> files,
                                std::vector<Job> jobs);

}  // namespace stepscope
