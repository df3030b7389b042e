// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_environment.h"

#include <cmath>

namespace stepscope {
namespace {

std::string Find(const Variables& variables, const std::string& name) {
  for (const auto& [key, value] : variables)
    if (key == name) return value;
  return "";
}

std::string JoinLines(const std::vector<std::string>& patterns) {
  std::string text;
  for (const std::string& pattern : patterns)
    text += text.empty() ? pattern : "\n" + pattern;
  return text;
}

// Fine enough for the steps of a model, and less than 2 % of its time.
constexpr long long kCounterIntervalUs = 100;

// What python/startup/sitecustomize.py looks at.
void AddPython(const RunOptions& options, const Injection& injection,
               const Variables& inherited, Variables& set) {
  if (injection.python_hook.empty()) return;
  const std::string path = Find(inherited, "PYTHONPATH");
  set.emplace_back("PYTHONPATH", path.empty()
                                     ? injection.python_hook
                                     : injection.python_hook + ":" + path);
  // Also if empty: those of a run around this one do not count.
  set.emplace_back("STEPSCOPE_PYTHON_PACKAGE", injection.python_package);
  set.emplace_back("STEPSCOPE_PYTHON", options.wants_python() ? "1" : "0");
  set.emplace_back("STEPSCOPE_PYTHON_INCLUDE",
                   JoinLines(options.python_include));
  set.emplace_back("STEPSCOPE_PYTHON_EXCLUDE",
                   JoinLines(options.python_exclude));
}

// What is wanted of a GPU. By the budget, in some steps only: all that belongs
// to a step; memory would be freed that was never seen to be taken. Otherwise
// kernels alone: calls of the device's API are most of what recording costs.
constexpr const char* kGpuKindsOfSomeSteps =
    "kernel,memcpy,memset,peer,graph,runtime,driver,device";
constexpr const char* kGpuKindsOfAllSteps = "kernel";

void AddFlight(const RunOptions& options, const Variables& inherited,
               Variables& set) {
  set.emplace_back("STEPSCOPE_MODE",
                   options.on_demand ? "on_demand" : "flight");
  if (options.on_demand) return;
  if (options.keep_steps > 0)
    set.emplace_back("STEPSCOPE_KEEP_STEPS",
                     std::to_string(options.keep_steps));
  const double slow = options.no_slow ? -1 : options.slow_factor;
  if (slow != 0)
    set.emplace_back("STEPSCOPE_SLOW_FACTOR", std::to_string(slow));
  const int64_t hang =
      options.no_hang ? -1 : std::llround(options.hang_after_s * 1e9);
  if (hang != 0) set.emplace_back("STEPSCOPE_HANG_AFTER", std::to_string(hang));
  if (options.budget() > 0)
    set.emplace_back("STEPSCOPE_STEP_BUDGET", std::to_string(options.budget()));
  if (Find(inherited, "STEPSCOPE_GPU_KINDS").empty())
    set.emplace_back("STEPSCOPE_GPU_KINDS", options.budget() > 0
                                                ? kGpuKindsOfSomeSteps
                                                : kGpuKindsOfAllSteps);
}

}  // namespace

Variables RunVariables(const RunOptions& options, const Injection& injection,
                       const Variables& inherited) {
  Variables set;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) set.emplace_back(name, value);
  };
  const std::string preloaded = Find(inherited, "LD_PRELOAD");
  add("LD_PRELOAD", preloaded.empty() ? injection.injector
                                      : injection.injector + ":" + preloaded);
  if (options.nvtx || Find(inherited, "NVTX_INJECTION64_PATH").empty())
    add("NVTX_INJECTION64_PATH", injection.injector);
  if (options.no_gpu) {
    add("STEPSCOPE_GPU", "0");
  } else if (Find(inherited, "CUDA_INJECTION64_PATH").empty()) {
    add("CUDA_INJECTION64_PATH", injection.injector);
  }
  add("STEPSCOPE_FOLLOW", "1");
  add("STEPSCOPE_OUT", injection.folder);
  add("STEPSCOPE_STEPS", options.steps);
  add("STEPSCOPE_START_AT", options.start_at);
  add("STEPSCOPE_STEP_RANGE", options.step_range);
  if (options.start_after_s > 0) {
    add("STEPSCOPE_START_AFTER",
        std::to_string(std::llround(options.start_after_s * 1e9)));
  }
  add("STEPSCOPE_RUN_BEGAN", std::to_string(injection.began_ns));
  add("STEPSCOPE_RUN_ID", injection.run_id);
  add("STEPSCOPE_RUN_QUIET", options.quiet ? "1" : "");
  if (options.flies()) AddFlight(options, inherited, set);
  add("STEPSCOPE_SHAPES", options.shapes ? "1" : "");
  add("STEPSCOPE_MEMORY", options.memory_stacks    ? "stacks"
                          : options.wants_memory() ? "1"
                                                   : "");
  if (options.wants_counters())
    add("STEPSCOPE_GPU_COUNTERS",
        std::to_string(options.counter_interval_us > 0
                           ? std::llround(options.counter_interval_us)
                           : kCounterIntervalUs));
  add("STEPSCOPE_TORCH_LIBRARY", injection.torch_library);
  add("STEPSCOPE_TORCH_OBSERVER", injection.torch_observer);
  add("STEPSCOPE_TORCH_ABSENT", injection.torch_absent);
  add("STEPSCOPE_GPU_ABSENT", injection.gpu_absent);
  AddPython(options, injection, inherited, set);
  return set;
}

}  // namespace stepscope
