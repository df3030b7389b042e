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
struct BillLook {
  std::string_view name;     // "tokens", "requests", "decode-first"
  std::string_view title;    // for a choice
  std::string_view meaning;  // a sentence
};
const BillLook& LookOf(BillRule rule);
inline std::string_view NameOf(BillRule rule) { return LookOf(rule).name; }
std::optional<BillRule> BillRuleByName(std::string_view name);

}  // namespace stepscope
