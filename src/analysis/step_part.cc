// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_part.h"

#include "analysis/looks.h"

namespace stepscope {

std::string_view StepPartName(StepPart part) { return LookOf(part).name; }

std::string_view StepPartTitle(StepPart part, bool device) {
  const PartLook& look = LookOf(part);
  return device || look.alone.empty() ? look.title : look.alone;
}

}  // namespace stepscope
