// SPDX-License-Identifier: Apache-2.0
//
// What `summary` and `reduce` are told about tables: which, and how to print.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/frame/output.h"
#include "cli/frame/verbs.h"
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
  Complain(kExitUsage, std::string(option) + ": unknown value \"" + text + "\"",
           "choose from " + std::string(choices));
  return false;
}

// The format of tables that a file name asks for: "csv" of "a.csv.gz"; "text"
// where it asks for none.
std::string FormatOfTables(std::string_view output);

// False: something is none of the choices, and the user was told.
bool ReadTableOptions(const SummaryArguments& arguments, TableOptions& options);

// The same, with the layout of text that the options come to: the one screen
// unless a table, or something that only tables show, is asked for.
bool ReadSummaryOptions(const SummaryArguments& arguments,
                        TableOptions& options);

}  // namespace stepscope
