// SPDX-License-Identifier: Apache-2.0
//
// What memory would be reserved after a change, as text, Markdown and JSON.
#pragma once

#include <string>

#include "analysis/replay/memory_whatif.h"

namespace stepscope {

std::string RenderMemoryWhatifText(const MemoryWhatif& whatif,
                                   size_t width = 0);
std::string RenderMemoryWhatifMarkdown(const MemoryWhatif& whatif);
std::string RenderMemoryWhatifJson(const MemoryWhatif& whatif);
// "fits in 80 GiB: no, by 3.1 GiB at step 4, aten::mm"; empty: no size was
// given.
std::string FitsText(const MemoryWhatif& whatif, const MemoryWhatifRow& row);

}  // namespace stepscope
