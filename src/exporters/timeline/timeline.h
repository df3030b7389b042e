// SPDX-License-Identifier: Apache-2.0
//
// The timeline of Paddle 1.x's tools/timeline.py: profiles of trainers and
// parameter servers as one Chrome JSON file, a group of rows for each label.
// docs/guide/timeline.md describes it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "exporters/sink.h"
#include "trace/clock_map.h"
#include "trace/trace.h"

namespace stepscope {

struct LabelledTrace {
  std::string label;
  std::shared_ptr<const Trace> trace;
  // From its times to those of all, for who knows better than what the trace
  // states: UTC if any trace states that.
  std::optional<ClockMap> clock = {};
  // How that is known (trace/clock_facts.h), for who reads the file.
  std::vector<std::pair<std::string, std::string>> clock_facts = {};
};

// Writes everything but does not close the sink. `notes` gets what a user
// should know about clocks.
Status WriteTimeline(std::span<const LabelledTrace> traces, Sink& sink,
                     std::vector<std::string>& notes);

}  // namespace stepscope
