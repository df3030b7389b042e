// SPDX-License-Identifier: Apache-2.0
//
// Cells of CSV (RFC 4180). Spreadsheets run a cell that begins like a formula,
// and a name in a trace may be anybody's: text that begins so gets an
// apostrophe, which they take for "this is text".
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// Text, between quotes where it has to be.
std::string CsvText(std::string_view text);
// The same, between quotes in any case.
std::string CsvQuotedText(std::string_view text);
// What is not text (a number, a list in JSON): only quoted, so that -1 stays a
// number.
std::string CsvValue(std::string_view value);

}  // namespace stepscope
