// SPDX-License-Identifier: Apache-2.0
#include "profiler/environment.h"

#include <charconv>
#include <cstdlib>

namespace stepscope::profiler {
namespace {

struct Setting {
  std::string name;  // of the variable that was set
  std::string value;
};

// The first of the two variables that is set and not empty.
Setting Either(const std::function<const char*(const char*)>& get,
               const char* name, const char* alias) {
  for (const char* variable : {name, alias}) {
    const char* value = variable != nullptr ? get(variable) : nullptr;
    if (value != nullptr && *value != '\0') return {variable, value};
  }
  return {};
}

bool ReadPeriod(std::string_view text, Environment* environment) {
  int64_t number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (unit.empty()) {
    environment->period_steps = number;
    return true;
  }
  int64_t unit_ns = unit == "s" ? 1'000'000'000 : unit == "ms" ? 1'000'000 : 0;
  return unit_ns != 0 &&
         !__builtin_mul_overflow(number, unit_ns, &environment->period_ns);
}

}  // namespace

Environment ReadEnvironment(
    const std::function<const char*(const char*)>& get) {
  Environment environment;
  Setting steps = Either(get, "STEPSCOPE_STEPS", nullptr);
  if (!steps.value.empty()) {
    environment.steps = ParseStepBounds(steps.value);
    if (!environment.steps) {
      environment.complaints.push_back("STEPSCOPE_STEPS=" + steps.value +
                                       ": expected A:B with A < B; ignored");
    }
  }
  Setting period =
      Either(get, "STEPSCOPE_PERIOD", "FLAGS_rpc_server_profile_period");
  if (!period.value.empty() && !ReadPeriod(period.value, &environment)) {
    environment.period_ns = 0;
    environment.complaints.push_back(
        period.name + "=" + period.value +
        ": expected a number of steps, or a time such as 10s; ignored");
  }
  environment.path =
      Either(get, "STEPSCOPE_PATH", "FLAGS_rpc_server_profile_path").value;
  environment.out = Either(get, "STEPSCOPE_OUT", nullptr).value;
  return environment;
}

Environment ReadEnvironment() {
  return ReadEnvironment(
      [](const char* name) -> const char* { return secure_getenv(name); });
}

}  // namespace stepscope::profiler
