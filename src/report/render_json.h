// SPDX-License-Identifier: Apache-2.0
//
// The summary as one line of JSON. Times are integer nanoseconds, averages
// rounded half to even, ratios 0..1; every key is always present.
#pragma once

#include <string>

#include "analysis/summary.h"
#include "report/table_options.h"

namespace stepscope {

std::string RenderJson(const Summary& summary, const TableOptions& options);

}  // namespace stepscope
