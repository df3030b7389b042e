// SPDX-License-Identifier: Apache-2.0
//
// The timeline of Paddle 1.x's tools/timeline.py: profiles of trainers and
// parameter servers as one Chrome JSON file, a group of rows for each label.
// docs/guide/timeline.md describes it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "exporters/sink.h"
#include "trace/trace.h"

namespace stepscope {

struct LabelledTrace {
  std::string label;
  std::shared_ptr<const Trace> trace;
};

// Writes everything but does not close the sink. `notes` gets what a user
// should know about clocks.
Status WriteTimeline(std::span<const LabelledTrace> traces, Sink& sink,
                     std::vector<std::string>& notes);

}  // namespace stepscope
