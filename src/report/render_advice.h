// SPDX-License-Identifier: Apache-2.0
//
// Advice as text for people and as JSON for programs.
#pragma once

#include <string>

#include "analysis/summary.h"
#include "base/json_writer.h"

namespace stepscope {

// The key "advice" of the summary: a list of findings.
void WriteAdvice(JsonWriter& json, const Summary& summary);

// What `stepscope advise` prints; both end in a newline. REQUIRES: the
// summary was computed with kAdviceView.
std::string RenderAdviceText(const Summary& summary);
std::string RenderAdviceJson(const Summary& summary);

}  // namespace stepscope
