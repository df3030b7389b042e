// SPDX-License-Identifier: Apache-2.0
//
// Moments are kept on the clock of the trace, as data has them. People read
// them from the start of the trace, as the timeline counts.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/schema.h"

namespace stepscope {

// `columns`, of which those of moments count from `origin_ns`.
std::vector<TableColumn> WithMomentsFrom(int64_t origin_ns,
                                         std::vector<TableColumn> columns);

}  // namespace stepscope
