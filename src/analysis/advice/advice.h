// SPDX-License-Identifier: Apache-2.0
//
// Advice: what holds the steps up, in plain words, worst first. Every finding
// carries its evidence; a rule that finds none says nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/interval.h"
#include "trace/trace.h"

namespace stepscope {

// A number and the events that it was made from.
struct Evidence {
  std::string what;      // a sentence
  std::string name;      // of the events, whole; empty: of many names
  Row example = kNoRow;  // one of them, as a rule the longest
  uint64_t calls = 0;
  int64_t time_ns = 0;  // all together
  // Where there is no event, the time to look at; empty: none.
  Interval range = {};
};

// Another finding whose saving is in part the same.
struct Overlap {
  std::string_view id;
  int64_t together_ns = 0;  // what both save, less than the sum of the two
};

struct Finding {
  std::string_view id;  // "data_loader"; stable, for scripts
  std::string finding;  // one sentence
  // Of one settled step: what a replay of the change saves, and the range in
  // which that is expected. Without a replay, from 0 to an arithmetic bound.
  int64_t saving_ns = 0;
  int64_t low_ns = 0;
  int64_t high_ns = 0;
  double saving_ratio = 0;   // of Advice::step_ns
  int64_t saving_bytes = 0;  // of memory, where time is not what it saves
  bool replayed = false;
  bool always = false;  // shown by its bound where the replay saves nothing
  // About few steps: the saving is that of all of them, shared by all steps,
  // and its ratio is of the mean step.
  bool average = false;
  // Measured: where a replay saves clearly more, this is the bound. Steps then
  // differ so much that the median moves to others. 0: not known.
  int64_t measured_ns = 0;
  std::string covers;        // events that it speaks of with all that is inside
  std::string change;        // for `whatif --change`; empty: none fits
  std::string saving_basis;  // how the saving was found
  std::vector<Overlap> overlaps;
  std::vector<Evidence> evidence;
  std::vector<std::string> to_try;

  // `basis`: what the time is.
  void SetAverage(int64_t ns, double ratio, const std::string& basis) {
    average = true;
    saving_ns = high_ns = ns;
    saving_ratio = ratio;
    saving_basis = "an upper bound, not replayed: " + basis;
  }
};

// How well the recorded step was given back.
struct AdviceReplay {
  int64_t step_ns = 0;
  double error = 0;  // of the recorded step
  int64_t unexplained_ns = 0;
};

struct Advice {
  std::vector<Finding> findings;    // by saving
  std::vector<std::string> doubts;  // why the trace may not be typical
  // Why there can be no advice, and what to do; empty: there can be.
  std::vector<std::string> nothing;
  uint64_t steps = 0;            // that were looked at; 0: the window
  int64_t recorded_step_ns = 0;  // median
  // What savings are of: the recorded step, or what is left of it without the
  // recorder, where that is known.
  int64_t step_ns = 0;
  std::optional<int64_t> unprofiled_step_ns;
  std::optional<AdviceReplay> replay;  // none: there was nothing to replay
  // All replayed changes of the findings at once; none: fewer than two.
  std::optional<int64_t> together_ns;
  double device_busy = -1;  // share of the steps; negative: no device
};

}  // namespace stepscope
