// SPDX-License-Identifier: Apache-2.0
//
// Tables as flat JSON for a viewer: columns with their meaning, and rows as
// lists of values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/step_choice.h"
#include "analysis/views/view_table.h"
#include "base/json_writer.h"
#include "base/result.h"

namespace stepscope {

// {"columns":[{"key","title","type","unit","adds","meaning"}],"rows":[[..]]}
// of a view table; `steps`: of these only. REQUIRES: FindViewTable(key).
Result<std::string> ViewTableJson(const Trace& trace, std::string_view key,
                                  const ViewQuery& query,
                                  const std::optional<StepChoice>& steps);

// A declared column, with the columns inside where it has rows.
void WriteColumnDeclaration(JsonWriter& json, const TableColumn& column);

}  // namespace stepscope
