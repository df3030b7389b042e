// SPDX-License-Identifier: Apache-2.0
//
// What `stepscope run` asks of the processes it injects, handed down through
// the environment. Pure; read once per process.
//
//   STEPSCOPE_FOLLOW=1            this process is to be recorded
//   STEPSCOPE_OUT=DIR             where its capture goes
//   STEPSCOPE_STEPS=A:B           only the steps [A, B)
//   STEPSCOPE_START_AFTER=NS      nanoseconds after the command started
//   STEPSCOPE_START_AT=PATTERN    when a range of that name begins
//   STEPSCOPE_STEP_RANGE=PATTERN  ranges of that name are the steps
//   STEPSCOPE_MODE=flight         record always, keep the last steps
//   STEPSCOPE_MODE=on_demand      record what `stepscope trigger` asks for
//   STEPSCOPE_KEEP_STEPS=N        of flight: so many
//   STEPSCOPE_SLOW_FACTOR=X       of flight: times the median; negative: none
//   STEPSCOPE_HANG_AFTER=NS       of flight; negative: never
//   STEPSCOPE_STEP_BUDGET=X       of flight: operators and device work in as
//                                 many steps as cost this share of the time
//   STEPSCOPE_SHAPES=1            operators with the shapes of their inputs
//   STEPSCOPE_MEMORY=1            memory of the process; allocations of torch:
//                                 python/stepscope/_torch/memory_in_run.py
//   STEPSCOPE_TORCH_OBSERVER=FILE the observer of torch's operators
//   STEPSCOPE_TORCH_LIBRARY=FILE  the libtorch_cpu.so that it was built for;
//                                 not given: it asks the torch that it finds
//   STEPSCOPE_TORCH_ABSENT=TEXT   why there is no such observer
//   STEPSCOPE_GPU_ABSENT=TEXT     why no device is recorded
//   STEPSCOPE_RUN_BEGAN=NS        CLOCK_MONOTONIC when the command started
//   STEPSCOPE_RUN_PID=PID         the command itself, not a child of it
//   STEPSCOPE_RUN_ID=TEXT         the run, among all of all machines
//   STEPSCOPE_RUN_QUIET=1         print nothing but errors
#pragma once

#include <cstdint>

namespace stepscope::inject {

struct StepSpan {
  int64_t first = 0;
  int64_t last = -1;  // one past the end; negative: every step

  bool given() const { return last >= 0; }
};

enum class RecordMode : uint8_t { kAll, kFlight, kOnDemand };

// Texts point into the environment of the process, which must not move them:
// they are copied by whoever keeps them.
struct Settings {
  bool follow = false;
  StepSpan steps;
  int64_t start_after_ns = 0;
  int64_t run_began_ns = 0;
  int64_t root_pid = 0;
  bool shapes = false;
  bool memory = false;
  bool quiet = false;
  RecordMode mode = RecordMode::kAll;
  // 0: the recorder's default.
  int64_t keep_steps = 0;
  double slow_factor = 0;
  int64_t hang_after_ns = 0;
  double budget = 0;
  // "" where not given.
  const char* out = "";
  const char* start_at = "";
  const char* step_range = "";
  const char* torch_library = "";
  const char* torch_observer = "";
  const char* torch_absent = "";
  const char* gpu_absent = "";
  const char* run_id = "";
};

using GetVariable = const char* (*)(const char* name);

// `get` is getenv or a stand-in. What makes no sense counts as not given: the
// command line has been checked by `stepscope run`.
Settings ReadSettings(GetVariable get);

// "3:7" is [3, 7), ":7" is [0, 7), "3:" has no end. False if it is none.
bool ParseSteps(const char* text, StepSpan* steps);

}  // namespace stepscope::inject
