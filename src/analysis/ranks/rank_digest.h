// SPDX-License-Identifier: Apache-2.0
//
// RankDigest: all that the analysis of many ranks needs of one: its steps with
// what took them, its collectives, and what it did before each. Small, so that
// a job of many ranks is read one rank at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ranks/held_by.h"
#include "analysis/ranks/rank_calls.h"
#include "analysis/step_part.h"
#include "analysis/tables/waterfall.h"
#include "trace/clock_map.h"

namespace stepscope {

// One step of one rank; without steps, its recorded window.
struct RankStep {
  int64_t index = 0;             // -1: the recorded window
  Interval range;                // as the waterfall has it
  int64_t computation_ns = 0;    // union of kernels that compute, or, on a
                                 // rank without a device, of operators
  int64_t communication_ns = 0;  // union of its collectives
  int64_t overlapped_ns = 0;     // when both went on
  std::optional<int64_t> pipeline_ns;  // sends and receives, not overlapped
  int64_t idle_ns = 0;
  std::array<int64_t, kStepParts> part_ns{};  // of the waterfall
};

// How the clock of a rank was found; see align_set.h.
struct RankClock {
  std::string method;
  int64_t offset_ns = 0;
  double drift_ppm = 0;
  std::optional<int64_t> error_ns;
};

struct RankDigest {
  int64_t pid = 0;
  std::string host;
  std::string file;
  RankClock clock;
  ClockMap to_job;  // from its times; the identity in a merged trace
  bool has_device = false;
  RankCalls calls;
  RankHeld held;
  std::vector<RankStep> steps;  // by start
};

// Of the processes that made steps or collectives. `waterfall` is that of the
// same trace.
std::vector<RankDigest> DigestRanks(const EventTree& tree,
                                    const StepTable& steps, NameClasses& names,
                                    const Communication& communication,
                                    const Waterfall& waterfall);

// Whether the processes of a trace can be ranks of one job at all: quick, for
// the usual trace of one.
bool MayHaveRanks(const Trace& trace);

}  // namespace stepscope
