// SPDX-License-Identifier: Apache-2.0
//
// Savings: asks the replay what each finding would save, drops those that
// would not, and says which cannot be added up.
#pragma once

#include <cstdint>

#include "analysis/advice/rules.h"
#include "analysis/replay/whatif.h"

namespace stepscope {

// Refers to the input. Not thread-safe.
class Savings {
 public:
  // States the step and its replay in `advice`.
  Savings(const AdviceInput& input, Advice& advice);

  // Replays the findings that have not been, leaves out what saves next to
  // nothing or no more than noise, and orders the rest by their savings.
  void Replay(Advice& advice);
  // For findings that are shown: which of them save the same time.
  void FindOverlaps(Advice& advice);

 private:
  // False: it is not to be shown.
  bool ReplayOne(Finding& finding, int64_t step_ns);

  ReplayInput input_;
  Replayer replayer_;
};

}  // namespace stepscope
