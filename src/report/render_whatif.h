// SPDX-License-Identifier: Apache-2.0
//
// What steps would take after a change, as text, Markdown and JSON.
#pragma once

#include <string>

#include "analysis/replay/whatif.h"

namespace stepscope {

std::string RenderWhatifText(const Whatif& whatif, size_t width = 0);
std::string RenderWhatifMarkdown(const Whatif& whatif);
std::string RenderWhatifJson(const Whatif& whatif);

}  // namespace stepscope
