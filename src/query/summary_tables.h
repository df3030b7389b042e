// SPDX-License-Identifier: Apache-2.0
//
// The tables of `stepscope summary` in SQL, from their declarations alone: the
// table KEY is summary_KEY, and rows inside its rows are summary_KEY_COLUMN,
// where `parent` is the first column of the row that they are inside of. The
// finer ones that the viewer has beside them are view_KEY.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "analysis/tables/stated_peaks.h"
#include "analysis/view_set.h"
#include "analysis/views/view_table.h"
#include "base/result.h"
#include "query/database.h"
#include "trace/trace.h"

namespace stepscope {

// Some of these tables.
struct SummaryTables {
  ViewSet summary;
  uint64_t viewer = 0;  // bit i: ViewTables()[i]

  static SummaryTables All();
  // Those that `sql` names: they are computed for who asks.
  static SummaryTables In(std::string_view sql);
  explicit operator bool() const { return bool(summary) || viewer != 0; }
  SummaryTables Without(const SummaryTables& other) const {
    return {summary & ~other.summary, viewer & ~other.viewer};
  }
  void Add(const SummaryTables& other) {
    summary |= other.summary;
    viewer |= other.viewer;
  }
};
// False: it is of a place, and summary_memory_COLUMN has its rows.
bool IsAskedByItself(const ViewTable& table);

Status AddSummaryTables(std::shared_ptr<const Trace> trace,
                        const SummaryTables& tables, Database& db,
                        const StatedPeaks& peaks = {});

}  // namespace stepscope
