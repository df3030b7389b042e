// SPDX-License-Identifier: Apache-2.0
//
// A device that has nothing to run although work was launched long ago is not
// idle: it runs what the trace does not have (cut off, or of another program),
// or waits for another device. Whatever it is, the host is not to blame.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/event_tree.h"
#include "analysis/tables/waterfall.h"

namespace stepscope {

struct HiddenWork {
  int64_t time_ns = 0;  // of all devices, within the steps
  int64_t longest_ns = 0;
};

HiddenWork FindHiddenWork(const EventTree& tree,
                          std::span<const StepParts> steps);

}  // namespace stepscope
