// SPDX-License-Identifier: Apache-2.0
//
// Any table through the Arrow C Data Interface, for pyarrow, pandas, polars and
// duckdb. Columns have their names in CSV (cpu_total_ns); times, counts and
// bytes are int64, ratios double, text utf8 (bytes that are not become U+FFFD),
// rows inside a row list<struct>. The metadata of a column has its unit and
// its meaning. What is exported owns its data: it may outlive the trace.
#pragma once

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "base/result.h"
#include "report/arrow_abi.h"
#include "report/arrow_table.h"

namespace stepscope {

// The columns, as a struct type. The caller releases it.
void ExportArrowSchema(const TableSchema& table, ArrowSchema* out);
// The rows, as one struct array. The caller releases it. Fails, with nothing to
// release, if the text of a column is above 2 GiB.
Status ExportArrowArray(const TableSchema& table, const Summary& summary,
                        ArrowArray* out);
// Both, for streams.
Result<std::shared_ptr<const ArrowTable>> MakeArrowTable(
    const TableSchema& table, const Summary& summary);

}  // namespace stepscope
