// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with declared tables: parts that are missing, columns that a
// format does not have, pages that differ. For tests.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/schema.h"
#include "analysis/summary.h"

namespace stepscope {

// One line for each problem; `summary` has rows to try, `docs` is the folder of
// the pages.
std::vector<std::string> TableProblems(std::span<const TableSchema> tables,
                                       const Summary& summary,
                                       const std::string& docs);

}  // namespace stepscope
