// SPDX-License-Identifier: Apache-2.0
//
// Amounts of bytes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// 1500, 500M, 10G, 1.5TiB: K, M, G and T count by 1,024. Nothing: this is no
// amount, or does not fit.
std::optional<uint64_t> ParseByteCount(std::string_view text);

}  // namespace stepscope
