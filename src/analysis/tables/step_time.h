// SPDX-License-Identifier: Apache-2.0
//
// Step time: how long a step takes, as periods of the settled steps, and how
// much of it is the recorder's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/steps.h"
#include "analysis/unprofiled.h"

namespace stepscope {

struct StepTime {
  uint64_t steps = 0;           // that count
  uint64_t warmup = 0;          // that were left out
  int64_t first_warmup_ns = 0;  // period of the first of these
  bool device_paced = false;    // of a process at least
  int64_t avg_ns = 0;
  int64_t min_ns = 0;
  int64_t p25_ns = 0;
  int64_t p50_ns = 0;
  int64_t p75_ns = 0;
  int64_t max_ns = 0;
  std::optional<UnprofiledStep> unprofiled;
  std::string unprofiled_doubt;  // see UnprofiledJudgement

  // How many times longer recorded steps are.
  std::optional<double> slow_down() const {
    if (!unprofiled || unprofiled->ns <= 0 || p50_ns <= 0) return std::nullopt;
    return static_cast<double>(p50_ns) / static_cast<double>(unprofiled->ns);
  }
};

// One process that steps.
struct ProcessPeriods {
  std::vector<int64_t> settled_ns;
  std::vector<int64_t> warmup_ns;
  bool device_paced = false;
};
std::vector<ProcessPeriods> FindPeriods(const EventTree& tree,
                                        const StepTable& steps);
// `trace`: for what its recorder says of steps that were not recorded.
StepTime ComputeStepTime(std::span<const ProcessPeriods> processes,
                         const Trace& trace,
                         std::optional<int64_t> unprofiled_ns);

// Of the threads that step, all processes together.
StepTime ComputeStepTime(const EventTree& tree, const StepTable& steps,
                         std::optional<int64_t> unprofiled_ns);

}  // namespace stepscope
