// SPDX-License-Identifier: Apache-2.0
//
// What happens between two steps: the table of all transitions. Pure.
#pragma once

#include <stepscope/c.h>

namespace stepscope::profiler {

enum class TransitionWarning {
  kNone,
  kReadyUnused,  // READY was not followed by RECORD: nothing to deliver
  kCutShort,     // RECORD was not followed by RECORD_AND_RETURN
};

// In the order in which they are carried out.
struct Transition {
  bool deliver = false;  // seal the running window and hand it over
  bool prepare = false;  // reserve memory and open files
  bool start = false;    // begin a window
  TransitionWarning warning = TransitionWarning::kNone;
};

// `from` and `to` are stepscope_profiler_state.
Transition PlanTransition(int from, int to);

// When the program begins in a state, and when it stops in one.
Transition PlanStart(int state);
Transition PlanStop(int state);

const char* WarningText(TransitionWarning warning);

}  // namespace stepscope::profiler
