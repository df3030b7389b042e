// SPDX-License-Identifier: Apache-2.0
//
// What the environment asks of the profiler. Pure, thread-safe.
//
//   STEPSCOPE_STEPS=A:B      record the steps [A, B)
//   STEPSCOPE_PERIOD=N | 10s | 500ms   a window every N steps or so often
//   STEPSCOPE_PATH=FILE      the file that each period replaces
//   STEPSCOPE_OUT=DIR        where captures go
//
// FLAGS_rpc_server_profile_period and FLAGS_rpc_server_profile_path are read
// where STEPSCOPE_PERIOD and STEPSCOPE_PATH are not set.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/schedule.h"

namespace stepscope::profiler {

struct Environment {
  std::optional<StepBounds> steps;
  int64_t period_steps = 0;  // 0: not by steps
  int64_t period_ns = 0;     // 0: not by time
  std::string path;          // "" if not given
  std::string out;           // "" if not given
  // One line for each variable that could not be understood.
  std::vector<std::string> complaints;

  bool periodic() const { return period_steps > 0 || period_ns > 0; }
};

// `get` is getenv or a stand-in.
Environment ReadEnvironment(const std::function<const char*(const char*)>& get);
Environment ReadEnvironment();

}  // namespace stepscope::profiler
