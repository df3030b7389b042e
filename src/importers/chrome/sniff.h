// SPDX-License-Identifier: Apache-2.0
//
// Whether a text is the beginning of a document of trace events.
#pragma once

#include <string_view>

namespace stepscope::json {

// `text` is the beginning of a file, or all of a short one. Writers may put
// any amount of metadata first: with a longer text the answer may become yes,
// never no.
bool LooksLikeTrace(std::string_view text);

}  // namespace stepscope::json
