// SPDX-License-Identifier: Apache-2.0
#include "analysis/moments.h"

#include <utility>

#include "analysis/interval.h"

namespace stepscope {

std::vector<TableColumn> WithMomentsFrom(int64_t origin_ns,
                                         std::vector<TableColumn> columns) {
  for (TableColumn& column : columns) {
    column.columns = WithMomentsFrom(origin_ns, std::move(column.columns));
    if (column.type != CellType::kMoment) continue;
    column.cell = [cell = std::move(column.cell), origin_ns](const void* row) {
      Cell moment = cell(row);
      if (auto* ns = std::get_if<int64_t>(&moment))
        *ns = SaturatingSubtract(*ns, origin_ns);
      return moment;
    };
  }
  return columns;
}

}  // namespace stepscope
