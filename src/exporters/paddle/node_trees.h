// SPDX-License-Identifier: Apache-2.0
//
// Node trees of Paddle 2.x (*.paddle_trace.pb): per thread the host events
// breadth first; API calls hang on the host event around them, device work on
// the call that launched it.
#pragma once

#include "exporters/exporter.h"

namespace stepscope::paddle {

// One tree is in memory at a time, packed.
Status WriteNodeTrees(const Trace& trace, const ExportOptions& options,
                      Sink& sink);

}  // namespace stepscope::paddle
