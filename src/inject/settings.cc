// SPDX-License-Identifier: Apache-2.0
#include "inject/settings.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace stepscope::inject {
namespace {

const char* Text(GetVariable get, const char* name) {
  const char* value = get(name);
  return value != nullptr ? value : "";
}

// Reads a number that is not negative; `*text` is left behind it.
bool ReadNumber(const char** text, int64_t* value) {
  const char* const end = *text + std::strlen(*text);
  const auto [stop, error] = std::from_chars(*text, end, *value);
  if (error != std::errc() || *value < 0) return false;
  *text = stop;
  return true;
}

int64_t Number(GetVariable get, const char* name) {
  const char* text = Text(get, name);
  int64_t value = 0;
  return ReadNumber(&text, &value) && *text == '\0' ? value : 0;
}

}  // namespace

bool ParseSteps(const char* text, StepSpan* steps) {
  StepSpan read;
  const bool from_first = *text == ':';
  if (!from_first && !ReadNumber(&text, &read.first)) return false;
  if (*text++ != ':') return false;
  if (*text == '\0' && !from_first) {
    read.last = INT64_MAX;
  } else if (!ReadNumber(&text, &read.last) || *text != '\0') {
    return false;
  }
  if (read.first >= read.last) return false;
  *steps = read;
  return true;
}

Settings ReadSettings(GetVariable get) {
  Settings settings;
  settings.follow = std::strcmp(Text(get, "STEPSCOPE_FOLLOW"), "1") == 0;
  ParseSteps(Text(get, "STEPSCOPE_STEPS"), &settings.steps);
  settings.start_after_ns = Number(get, "STEPSCOPE_START_AFTER");
  settings.run_began_ns = Number(get, "STEPSCOPE_RUN_BEGAN");
  settings.root_pid = Number(get, "STEPSCOPE_RUN_PID");
  const char* mode = Text(get, "STEPSCOPE_MODE");
  if (std::strcmp(mode, "flight") == 0) settings.mode = RecordMode::kFlight;
  if (std::strcmp(mode, "on_demand") == 0)
    settings.mode = RecordMode::kOnDemand;
  settings.keep_steps = Number(get, "STEPSCOPE_KEEP_STEPS");
  settings.slow_factor = std::atof(Text(get, "STEPSCOPE_SLOW_FACTOR"));
  settings.hang_after_ns = std::atoll(Text(get, "STEPSCOPE_HANG_AFTER"));
  settings.budget = std::atof(Text(get, "STEPSCOPE_STEP_BUDGET"));
  if (!(settings.budget > 0 && settings.budget < 1)) settings.budget = 0;
  settings.shapes = std::strcmp(Text(get, "STEPSCOPE_SHAPES"), "1") == 0;
  settings.memory = Text(get, "STEPSCOPE_MEMORY")[0] != '\0';
  settings.quiet = std::strcmp(Text(get, "STEPSCOPE_RUN_QUIET"), "1") == 0;
  settings.out = Text(get, "STEPSCOPE_OUT");
  settings.start_at = Text(get, "STEPSCOPE_START_AT");
  settings.step_range = Text(get, "STEPSCOPE_STEP_RANGE");
  settings.torch_library = Text(get, "STEPSCOPE_TORCH_LIBRARY");
  settings.torch_observer = Text(get, "STEPSCOPE_TORCH_OBSERVER");
  settings.torch_absent = Text(get, "STEPSCOPE_TORCH_ABSENT");
  settings.gpu_absent = Text(get, "STEPSCOPE_GPU_ABSENT");
  settings.run_id = Text(get, "STEPSCOPE_RUN_ID");
  return settings;
}

}  // namespace stepscope::inject
