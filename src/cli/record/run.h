// SPDX-License-Identifier: Apache-2.0
//
// run: profile a program as it is. The command line's wishes, and the pieces
// that the verb is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope {

struct RunOptions {
  std::vector<std::string> command;
  std::string out;         // "": a fresh folder in profiler_log
  std::string steps;       // "A:B"
  std::string start_at;    // pattern of a range's name
  std::string step_range;  // likewise
  double start_after_s = 0;
  bool no_gpu = false;
  bool nvtx = false;  // also where another NVTX tool is set
  bool no_torch = false;
  bool shapes = false;
  bool memory = false;
  bool memory_stacks = false;               // with lines of Python
  bool counters = false;                    // of the GPUs' hardware
  double counter_interval_us = 0;           // 0: the default
  bool python = false;                      // calls of Python functions
  std::vector<std::string> python_include;  // patterns of file names
  std::vector<std::string> python_exclude;
  bool always = false;     // the flight recorder
  bool on_demand = false;  // record what `trigger` asks for
  int keep_steps = 0;      // of the flight recorder; 0: its default
  double slow_factor = 0;  // likewise
  double hang_after_s = 0;
  double budget_percent = 0;  // of --always; 0: kernels in every step,
                              // operators on a trigger only
  std::string otlp;           // endpoint of an OpenTelemetry receiver
  std::string bill;           // of what is sent; empty: by tokens
  std::string prometheus;     // file for its textfile collector
  bool no_slow = false;
  bool no_hang = false;
  bool quiet = false;

  // Of the time, which recording may take; 0: no budget.
  double budget() const { return always ? budget_percent / 100 : 0; }
  bool flies() const { return always || on_demand; }
  bool wants_counters() const { return counters || counter_interval_us != 0; }
  bool wants_memory() const { return memory || memory_stacks; }
  bool wants_python() const {
    return python || !python_include.empty() || !python_exclude.empty();
  }
};

// Returns what the command returned; if a signal ended it, ends this process
// by the same signal. 2: usage; 126 and 127: the command cannot be run or does
// not exist, as a shell would say. Trouble with profiling is one line each,
// and the command runs all the same.
int RunRun(const RunOptions& options);

}  // namespace stepscope
