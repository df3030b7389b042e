// SPDX-License-Identifier: Apache-2.0
//
// Advice as text for people, as Markdown for a comment in CI, and as JSON for
// programs.
#pragma once

#include <string>

#include "analysis/summary.h"

namespace stepscope {

// What `stepscope advise` prints; all end in a newline. REQUIRES: the summary
// was computed with kAdviceView.
std::string RenderAdviceText(const Summary& summary);
std::string RenderAdviceMarkdown(const Summary& summary);
std::string RenderAdviceJson(const Summary& summary);

}  // namespace stepscope
