// SPDX-License-Identifier: Apache-2.0
//
// Strings of JSON: what stands between the quotes, and what it means.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::json {

// Appends the meaning of `raw`, the text between two quotes. A lone surrogate
// becomes U+FFFD and a backslash before anything else is kept as it is; then
// the result is false.
bool Unescape(std::string_view raw, std::string& out);

// The same without a copy where nothing is escaped; else into `buffer`.
std::string_view Unescaped(std::string_view raw, std::string& buffer);

// What RFC 8259 forbids in `json`, a whole value: bytes that are not UTF-8, or
// raw control characters in a string. Empty if there is nothing.
std::string_view WrongBytes(std::string_view json);

}  // namespace stepscope::json
