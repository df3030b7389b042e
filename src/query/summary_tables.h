// SPDX-License-Identifier: Apache-2.0
//
// The tables of `stepscope summary` in SQL, from their declarations alone: the
// table KEY is summary_KEY, and rows inside its rows are summary_KEY_COLUMN,
// where `parent` is the first column of the row that they are inside of.
#pragma once

#include <memory>
#include <string_view>

#include "analysis/view_set.h"
#include "base/result.h"
#include "query/database.h"
#include "trace/trace.h"

namespace stepscope {

// Those that `sql` names: they are computed for who asks.
ViewSet SummaryViewsIn(std::string_view sql);
Status AddSummaryTables(std::shared_ptr<const Trace> trace, ViewSet views,
                        Database& db);

}  // namespace stepscope
