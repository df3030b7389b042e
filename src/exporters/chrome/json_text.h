// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the inside of a JSON string. Valid UTF-8 comes out unaltered
// after parsing. JSON cannot hold other bytes: each ill-formed byte becomes
// U+FFFD, and the caller keeps the exact bytes beside it with AppendHex.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::chrome {

// Appends without quotes. False: some bytes were not UTF-8.
bool AppendEscaped(std::string& out, std::string_view bytes);

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
