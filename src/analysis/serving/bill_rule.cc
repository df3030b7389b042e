// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/bill_rule.h"

#include <array>

namespace stepscope {
namespace {

constexpr std::array<BillLook, kBillRules> kRules = {
    {{"tokens", "By tokens",
      "An iteration's requests pay by the tokens that it works on for each."},
     {"requests", "In equal parts", "An iteration's requests pay equal parts."},
     {"decode-first", "Decode first",
      "An iteration's requests that decode pay what one that only decodes "
      "takes, in equal parts; prompts pay the rest, by tokens."}}};

}  // namespace

const BillLook& LookOf(BillRule rule) {
  return kRules[static_cast<size_t>(rule)];
}

std::optional<BillRule> BillRuleByName(std::string_view name) {
  for (size_t i = 0; i < kBillRules; ++i)
    if (kRules[i].name == name) return static_cast<BillRule>(i);
  return std::nullopt;
}

}  // namespace stepscope
