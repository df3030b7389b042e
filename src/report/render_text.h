// SPDX-License-Identifier: Apache-2.0
//
// The summary as text, in the layout of paddle.profiler.
#pragma once

#include <string>

#include "analysis/summary.h"
#include "report/table_options.h"

namespace stepscope {

std::string RenderText(const Summary& summary, const TableOptions& options);

}  // namespace stepscope
