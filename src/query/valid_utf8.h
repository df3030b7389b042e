// SPDX-License-Identifier: Apache-2.0
//
// Names come from files and may be any bytes; DuckDB and Parquet take UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

bool IsValidUtf8(std::string_view text);
// Bytes that are no UTF-8 become U+FFFD, as in JSON.
std::string ValidUtf8(std::string_view text);

}  // namespace stepscope
