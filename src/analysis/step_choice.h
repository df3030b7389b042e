// SPDX-License-Identifier: Apache-2.0
//
// Which steps of a trace an analysis is about, and a Trace of these alone, so
// that every table works on a part of a run as on the whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/steps.h"
#include "base/result.h"

namespace stepscope {

struct StepChoice {
  enum class Kind : uint8_t { kAll, kSettled, kRange };
  Kind kind = Kind::kAll;
  // kRange: numbers as recorded, the end not included.
  int64_t begin = INT64_MIN;
  int64_t end = INT64_MAX;

  static StepChoice All() { return {}; }
  static StepChoice Settled() { return {.kind = Kind::kSettled}; }
  bool operator==(const StepChoice&) const = default;

  bool Includes(const StepInterval& step) const {
    switch (kind) {
      case Kind::kAll:
        return true;
      case Kind::kSettled:
        return !step.warmup && !step.partly;
      case Kind::kRange:
        break;
    }
    return step.index >= begin && step.index < end;
  }
};

// "all", "settled", "3:8", "3:" or ":8". Fails with what is possible.
Result<StepChoice> ParseStepChoice(std::string_view text);
// The same text again.
std::string StepChoiceText(const StepChoice& choice);

struct StepSelection {
  // The trace itself where nothing was left out. Made anew, it has the rows
  // that began in the chosen steps of their process, until the next step
  // began, on all threads; the device work that these launched; and counters
  // and memory of that time. Its window begins with the first step, on the
  // device where that paces the loop, and ends when host and device were done
  // with the last one.
  std::shared_ptr<const Trace> trace;
  // By row of the trace that it was made of: whether it is part; empty: all.
  std::vector<bool> rows = {};
  uint64_t chosen = 0;  // steps, over all processes; not counted for `all`
  uint64_t total = 0;
  uint64_t warmup = 0;  // of those left out
  // What was left out, as one sentence; empty if nothing was.
  std::string note;

  bool is_everything() const { return chosen == total; }
};

// Fails where no step is chosen of those that there are; the message names
// them. Without steps in the trace, `all` and `settled` are the whole of it.
// StepTable of a trace that was made here: without finding warm-up.
Result<StepSelection> SelectSteps(std::shared_ptr<const Trace> trace,
                                  const StepChoice& choice);
// The same for who has the steps already; `trace` is null where nothing was
// left out. REQUIRES: `steps` were made of `tree`, with warm-up.
Result<StepSelection> SelectSteps(const EventTree& tree, const StepTable& steps,
                                  const StepChoice& choice);

}  // namespace stepscope
