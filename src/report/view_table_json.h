// SPDX-License-Identifier: Apache-2.0
//
// Tables as flat JSON for a viewer: columns with their meaning, and rows as
// lists of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/step_choice.h"
#include "analysis/views/view_table.h"
#include "base/json_writer.h"
#include "base/result.h"

namespace stepscope {

// A table that was computed already, in the form of ViewTableJson().
std::string FlatTableJson(const std::vector<TableColumn>& columns,
                          const ViewRows& view);

// {"columns":[{"key","title","type","unit","adds","meaning"}],"rows":[[..]]}
// of a view table; `steps`: of these only. REQUIRES: FindViewTable(key).
// `all`: the steps of `tree`, with warm-up; `origin_ns`: moments count from it.
Result<std::string> ViewTableJson(const EventTree& tree, const StepTable& all,
                                  int64_t origin_ns, std::string_view key,
                                  const ViewQuery& query,
                                  const std::optional<StepChoice>& steps);

// "columns" and "rows" of such a table, into an object that is open: the first
// `most` rows.
void WriteFlatTable(JsonWriter& json, const std::vector<TableColumn>& columns,
                    const RowList& rows, size_t most = SIZE_MAX);

// "columns": declared ones, with the columns inside where they have rows.
void WriteColumnDeclarations(JsonWriter& json,
                             const std::vector<TableColumn>& columns);

}  // namespace stepscope
