// SPDX-License-Identifier: Apache-2.0
//
// What profiling cost: how long a step takes when it is not recorded, where
// that is known, and what of the recorder's settings makes steps longer where
// it is not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "trace/trace.h"

namespace stepscope {

struct UnprofiledStep {
  enum class Source : uint8_t {
    kRecorder,  // measured beside the recorded window
    kUser,      // stated with --unprofiled
  };
  int64_t ns = 0;      // the median
  uint64_t count = 0;  // steps that it is of; 0: not stated
  Source source = Source::kRecorder;
};

// The median of the settled steps that were not recorded, of all processes
// that timed at least three of these. Not held against the recorded steps:
// where these are at hand, JudgeUnprofiledStep() is the one to ask.
std::optional<UnprofiledStep> FindUnprofiledStep(const Trace& trace);

// Whether the recorder timed any, enough or not.
bool TimedUnrecordedSteps(const Trace& trace);

struct UnprofiledJudgement {
  std::optional<UnprofiledStep> step;
  // Why there is none although steps were timed: ends a sentence that says
  // that it is not known. Empty if there is nothing to say.
  std::string doubt;
};

// The same, if it can be true beside `recorded_ns`, the periods of the settled
// recorded steps: recording makes no step shorter, so unrecorded steps that
// were longer by more than the noise were something else, such as warm-up or
// steps beside a busy neighbour. Within the noise, the step is as long as the
// recorded ones. What the user stated is not doubted.
UnprofiledJudgement JudgeUnprofiledStep(const Trace& trace,
                                        std::span<const int64_t> recorded_ns,
                                        std::optional<int64_t> stated_ns);

// "Recorded steps took 1.06 x the unrecorded ones (median of 12)." `step_ns`:
// the median of the recorded ones.
std::string SlowDownText(const UnprofiledStep& unprofiled, int64_t step_ns);

// What the recorder was told to record besides events, as its file says, such
// as "shapes and call stacks"; empty: nothing, or nothing is known.
std::string CostlySettings(const Trace& trace);
// That as a sentence, which says what to do; empty if there is nothing.
std::string CostlySettingsText(const Trace& trace);

}  // namespace stepscope
