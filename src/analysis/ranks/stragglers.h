// SPDX-License-Identifier: Apache-2.0
//
// Who makes whom wait, in which steps, and what that rank did meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/ranks/meetings.h"
#include "analysis/ranks/rank_job.h"

namespace stepscope {

// `rank_of`: by digest. `steps`, `step_ns`: of the job, for shares.
std::vector<StragglerRow> FindStragglers(std::span<const RankDigest> digests,
                                         const std::vector<int64_t>& rank_of,
                                         const Meetings& meetings,
                                         uint64_t steps, int64_t step_ns);

}  // namespace stepscope
