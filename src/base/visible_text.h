// SPDX-License-Identifier: Apache-2.0
//
// Recorded names on a terminal: nothing in a name may move the cursor, change
// colours or reverse the direction of writing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope {

// `text` with control characters, bytes that are no UTF-8 and marks of writing
// direction shown as \n, \x1b, \u202e. Without those, the text itself.
std::string VisibleText(std::string_view text);

// Columns that visible text takes on a terminal: wide characters take two,
// combining ones none.
size_t DisplayWidth(std::string_view visible);
// Blanks behind it, up to `width` columns.
std::string Padded(std::string visible, size_t width);

// At most `limit` characters: if there are more, the first `limit - 3` and
// "...".
std::string Shorten(std::string_view visible, size_t limit);

}  // namespace stepscope
