// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_part.h"

namespace stepscope {

std::string_view StepPartName(StepPart part) {
  constexpr std::string_view kNames[] = {
      "kernel",     "copy",        "communication exposed",
      "launch gap", "input stall", "host sync",
      "other CPU",  "unexplained"};
  return kNames[static_cast<size_t>(part)];
}

std::string_view StepPartInWords(StepPart part) {
  constexpr std::string_view kWords[] = {
      "the device computes",         "the device copies memory",
      "only data is exchanged",      "launched, not started yet",
      "waits for the data loader",   "the host waits for the device",
      "the host runs recorded code", "nothing was recorded"};
  return kWords[static_cast<size_t>(part)];
}

std::string_view StepPartFormula(StepPart part) {
  constexpr std::string_view kFormulas[] = {
      "union of the kernels that compute, of all streams",
      "union of copies and sets, less what is above",
      "union of communicating kernels and of communication that the host "
      "does by itself, less what is above",
      "union of [begin of the launch, begin of the work), less what is above",
      "union of Dataloader events of the stepping thread, less what is above",
      "union of calls that wait for the device, less what is above",
      "union of all other host events but the step's, less what is above",
      "what remains of the step"};
  return kFormulas[static_cast<size_t>(part)];
}

}  // namespace stepscope
