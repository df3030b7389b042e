// SPDX-License-Identifier: Apache-2.0
//
// Text in a page, and figures as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::html {

// Recorded text is text in a page, whatever it holds: in an element and in an
// attribute between double quotes.
std::string Escape(std::string_view text);

// A sentence of the tool: escaped, its units written as Time() does, and its
// options as code. `name`: what it says of the trace; from there on it stays
// as it is.
std::string Prose(std::string_view sentence, std::string_view name = {});

// "gpu:0" of "Place(gpu:0)".
std::string PlaceName(std::string place);

// "51.6 ms", "2.99 GiB", "24.9 %", "61,445"; a narrow space before the unit.
std::string Time(int64_t ns);
std::string Bytes(int64_t bytes);
std::string Share(double share);

// A small square of a hue of analysis/looks.h, before its word.
std::string Swatch(std::string_view hue);

}  // namespace stepscope::html
