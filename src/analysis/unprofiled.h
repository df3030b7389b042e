// SPDX-License-Identifier: Apache-2.0
//
// What profiling cost: how long a step takes when it is not recorded, where
// that is known, and what of the recorder's settings makes steps longer where
// it is not.
#pragma once

#include <cstdint>
#include <optional>
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

// What the recorder measured; of several processes, the median of those. A
// step as it says is above 0.
std::optional<UnprofiledStep> FindUnprofiledStep(const Trace& trace);
// The same, unless the user stated it.
std::optional<UnprofiledStep> FindUnprofiledStep(
    const Trace& trace, std::optional<int64_t> stated_ns);

// "Recorded steps took 1.06 x the unrecorded ones (median of 12)." `step_ns`:
// the median of the recorded ones.
std::string SlowDownText(const UnprofiledStep& unprofiled, int64_t step_ns);

// What the recorder was told to record besides events, as its file says, such
// as "shapes and call stacks"; empty: nothing, or nothing is known.
std::string CostlySettings(const Trace& trace);
// That as a sentence, which says what to do; empty if there is nothing.
std::string CostlySettingsText(const Trace& trace);

}  // namespace stepscope
