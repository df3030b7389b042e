// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// "cpu.total_ns" -> "CPU total": the head of a column whose declaration gives
// no better one.
std::string TitleOfColumn(std::string_view name);

}  // namespace stepscope
