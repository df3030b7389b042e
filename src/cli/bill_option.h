// SPDX-License-Identifier: Apache-2.0
//
// By which rule requests share the device time of an iteration: one option of
// several commands.
#pragma once

#include <string>
#include <utility>

#include "analysis/serving/bill_rule.h"
#include "cli/frame/command.h"

namespace stepscope {

// `where`: for what it counts, as the begin of a sentence.
inline Option BillOption(const std::string& where, std::string group,
                         std::string* target) {
  return {.name = "--bill",
          .value = "RULE",
          .kind = ValueKind::kChoice,
          .meaning = where +
                     "how requests share the device time of an iteration: by "
                     "their tokens, in equal parts, or what decoding takes "
                     "first and the rest to prompts",
          .fallback = "tokens",
          .choices = {"tokens", "requests", "decode-first"},
          .group = std::move(group),
          .target = target};
}

// The rule of its target, which has been checked; empty: by tokens.
inline BillRule BillOf(const std::string& text) {
  return BillRuleByName(text).value_or(BillRule::kTokens);
}

}  // namespace stepscope
