// SPDX-License-Identifier: Apache-2.0
//
// The options of the Compute Command Line Profiler that state something of a
// GPU activity, and what they are in a trace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace stepscope::cuda_profile {

struct Option {
  std::string_view name;
  std::vector<std::string_view> parts;  // of csv columns; empty: one
  // The values of the row, as many as there are columns; empty: none.
  std::vector<std::string> (*values)(const Trace& trace, Row row);
};

// What fluid.profiler.cuda_profiler asks for when it is given nothing.
std::vector<std::string> DefaultConfig();

// The options that `config` names, in its order. Entries that only steer the
// original are accepted and give none; unknown ones are refused by name.
Result<std::vector<const Option*>> ParseConfig(
    const std::vector<std::string>& config);

}  // namespace stepscope::cuda_profile
