// SPDX-License-Identifier: Apache-2.0
//
// Answers about memory: which processes have some, who held it over time, its
// allocations as boxes, one of these, and all that was held at an instant.
#pragma once

#include <string>

#include "base/result.h"
#include "server/files/open_trace.h"
#include "server/http/parameters.h"

namespace stepscope::server {

Result<std::string> MemoryPlacesJson(const OpenTrace& open);
Result<std::string> MemoryAreaJson(const OpenTrace& open,
                                   const Parameters& parameters);
// Binary, as docs/formats/http.md describes it.
Result<std::string> MemoryBoxes(const OpenTrace& open,
                                const Parameters& parameters);
Result<std::string> MemoryBoxJson(const OpenTrace& open,
                                  const Parameters& parameters);
Result<std::string> MemoryHeldJson(const OpenTrace& open,
                                   const Parameters& parameters);

}  // namespace stepscope::server
