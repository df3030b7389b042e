// SPDX-License-Identifier: Apache-2.0
//
// Members of a JSON object, and numbers as Chrome's format has them. JSON has
// no bytes that are not UTF-8: each becomes U+FFFD, and the exact bytes stand
// beside it as AppendHex writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_text.h"

namespace stepscope::chrome {

// Two lower-case digits a byte.
void AppendHex(std::string& out, std::string_view bytes);

// `"key":"bytes"`, followed by `,"key_bytes":"hex"` where bytes were not
// UTF-8. `key` is trusted.
void AppendTextField(std::string& out, std::string_view key,
                     std::string_view bytes);

void AppendInt(std::string& out, int64_t value);
void AppendUint(std::string& out, uint64_t value);
void AppendMicros(std::string& out, int64_t ns);
// Shortest text that reads back as `value`, always marked as a real number.
// What JSON has no number for is a string: "NaN", "Infinity", "-Infinity".
void AppendDouble(std::string& out, double value);

}  // namespace stepscope::chrome
