// SPDX-License-Identifier: Apache-2.0
//
// All events of a trace as an Arrow table: times as they lie in the Trace,
// names as a dictionary.
#pragma once

#include <memory>

#include "base/result.h"
#include "report/arrow_table.h"
#include "trace/trace.h"

namespace stepscope {

// Keeps the trace alive. Fails if the names have more than 2 GiB of text.
Result<std::shared_ptr<const ArrowTable>> MakeEventTable(
    std::shared_ptr<const Trace> trace);

}  // namespace stepscope
