// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope {

// What `text` is, by RFC 8259 and UTF-8. kInvalid also for what parsers
// commonly refuse: lone surrogates, more than kMaxJsonDepth nested arrays and
// objects, numbers of more than kMaxJsonNumber characters. Linear in time,
// constant in memory.
enum class JsonKind { kInvalid, kObject, kArray, kString, kNumber, kLiteral };
inline constexpr int kMaxJsonDepth = 256;
inline constexpr size_t kMaxJsonNumber = 1000;
JsonKind CheckJson(std::string_view text);

}  // namespace stepscope
