// SPDX-License-Identifier: Apache-2.0
//
// Questions to a trace whose answer is text: what the CLI's verbs print.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "read/request.h"
#include "trace/trace.h"

namespace stepscope {

// `other` is the second trace of "compare", else null. The answer to "export"
// has a line for each thing that the file cannot hold.
Result<std::string> Answer(const std::shared_ptr<const Trace>& trace,
                           const Trace* other, std::string_view question,
                           ReadRequest& request);

}  // namespace stepscope
