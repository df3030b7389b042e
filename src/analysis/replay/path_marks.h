// SPDX-License-Identifier: Apache-2.0
//
// A trace with its critical path drawn in, for any exporter: a row "critical
// path" for each process that steps, with the pieces of the path as events, and
// arrows along the path between the events that it goes through.
#pragma once

#include <memory>
#include <string_view>

#include "analysis/replay/critical_path.h"
#include "base/result.h"

namespace stepscope {

inline constexpr std::string_view kPathTrackName = "critical path";

// All of `trace` is in the new one, under the same track numbers. What is added
// is marked as inferred. Fails only where memory is refused.
Result<std::shared_ptr<const Trace>> AddPathMarks(const Trace& trace,
                                                  const CriticalPath& path);

// The same with the path of the chosen steps; finds it first.
Result<std::shared_ptr<const Trace>> AddCriticalPath(const Trace& trace,
                                                     const StepChoice& choice);

}  // namespace stepscope
