// SPDX-License-Identifier: Apache-2.0
//
// What `summary` and `reduce` are told about tables: which, and how to print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/frame/output.h"
#include "cli/frame/verbs.h"
#include "report/table_options.h"

namespace stepscope {

// Fills one option; false: the user was told what is wrong with it.
template <typename T>
bool Told(Result<T> read, T& out) {
  if (read) {
    out = *std::move(read);
  } else {
    PrintError(read.error().message);
  }
  return read.has_value();
}
template <typename T>
bool Choose(std::string_view option, const std::string& text,
            std::optional<T> value, std::string_view choices, T& out) {
  return Told(Chosen(option, text, value, choices), out);
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
