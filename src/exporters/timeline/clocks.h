// SPDX-License-Identifier: Apache-2.0
//
// One clock for traces of several hosts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "exporters/timeline/timeline.h"

namespace stepscope::timeline {

struct Clocks {
  std::vector<ClockMap> maps;  // by trace
  int64_t base_ns = 0;         // taken off all of them; UTC if large
};

// Who has a map of its own keeps it. Of the rest, traces that state UTC are
// aligned by it. Of the others a note is made; beside
// such that do, they begin where the earliest of those begins. Times stay as
// they are unless they are so large that a viewer would round them.
Clocks AlignClocks(std::span<const LabelledTrace> traces,
                   std::vector<std::string>& notes);

}  // namespace stepscope::timeline
