// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a JSON string: the one escaping that all writers share.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// Bytes that are not UTF-8, which JSON cannot hold.
enum class InvalidUtf8 {
  kReplace,  // each becomes U+FFFD: the output is valid JSON
  kKeep,     // as they are, for a reader of ours that wants the exact bytes
};

// Appends without quotes. Valid UTF-8 comes out unaltered after parsing. False:
// some bytes were not UTF-8.
bool AppendJsonEscaped(std::string& out, std::string_view bytes,
                       InvalidUtf8 invalid = InvalidUtf8::kReplace);

// The same between quotes.
void AppendJsonString(std::string& out, std::string_view bytes,
                      InvalidUtf8 invalid = InvalidUtf8::kReplace);

}  // namespace stepscope
