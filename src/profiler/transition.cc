// SPDX-License-Identifier: Apache-2.0
#include "profiler/transition.h"

namespace stepscope::profiler {
namespace {

bool Records(int state) {
  return state == STEPSCOPE_STATE_RECORD ||
         state == STEPSCOPE_STATE_RECORD_AND_RETURN;
}

}  // namespace

Transition PlanTransition(int from, int to) {
  Transition plan;
  switch (from) {
    case STEPSCOPE_STATE_RECORD:
      if (Records(to)) return plan;  // the window goes on
      plan.deliver = true;
      plan.warning = TransitionWarning::kCutShort;
      break;
    case STEPSCOPE_STATE_RECORD_AND_RETURN:
      plan.deliver = true;
      break;
    case STEPSCOPE_STATE_READY:
      if (to == STEPSCOPE_STATE_CLOSED)
        plan.warning = TransitionWarning::kReadyUnused;
      plan.start = Records(to);
      return plan;
    default:
      break;
  }
  plan.prepare = to != STEPSCOPE_STATE_CLOSED;
  plan.start = Records(to);
  return plan;
}

Transition PlanStart(int state) {
  return PlanTransition(STEPSCOPE_STATE_CLOSED, state);
}

Transition PlanStop(int state) {
  Transition plan = PlanTransition(state, STEPSCOPE_STATE_CLOSED);
  // Stopping inside a window is how the default scheduler ends it.
  if (plan.deliver) plan.warning = TransitionWarning::kNone;
  return plan;
}

const char* WarningText(TransitionWarning warning) {
  switch (warning) {
    case TransitionWarning::kReadyUnused:
      return "the scheduler went from READY to CLOSED: nothing was recorded";
    case TransitionWarning::kCutShort:
      return "the scheduler left RECORD without RECORD_AND_RETURN: the window "
             "is delivered as it is";
    case TransitionWarning::kNone:
      break;
  }
  return "";
}

}  // namespace stepscope::profiler
