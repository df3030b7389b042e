// SPDX-License-Identifier: Apache-2.0
//
// What `summary` and `reduce` are told about tables: which, and how to print.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/output.h"
#include "cli/verbs.h"
#include "report/table_options.h"

namespace stepscope {

// Fills one option; says what is possible if `text` is not.
template <typename T>
bool Choose(std::string_view option, const std::string& text,
            std::optional<T> value, std::string_view choices, T& out) {
  if (value) {
    out = *value;
    return true;
  }
  Complain(kExitUsage,
           std::string(option) + ": unknown value \"" + text + "\"",
           "choose from " + std::string(choices));
  return false;
}

// False: something is none of the choices, and the user was told.
bool ReadTableOptions(const SummaryArguments& arguments,
                      TableOptions& options);

}  // namespace stepscope
