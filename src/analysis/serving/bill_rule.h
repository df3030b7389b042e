// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// How the device time of an iteration is split over its requests.
enum class BillRule : uint8_t {
  kTokens,    // by the tokens that it works on for each
  kRequests,  // in equal parts
  // Decode takes what iterations that only decode take, the median of them, in
  // equal parts; the rest is split over prompts, by tokens.
  kDecodeFirst,
};
inline constexpr size_t kBillRules = 3;
std::string_view NameOf(BillRule rule);  // "tokens", "requests", "decode-first"
std::optional<BillRule> BillRuleByName(std::string_view name);

}  // namespace stepscope
