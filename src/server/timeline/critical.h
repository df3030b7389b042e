// SPDX-License-Identifier: Apache-2.0
//
// The critical path, to be drawn over the timeline.
#pragma once

#include <string>

#include "base/result.h"
#include "server/files/open_trace.h"

namespace stepscope::server {

Result<std::string> CriticalJson(const OpenTrace& open,
                                 const std::string& steps);

}  // namespace stepscope::server
