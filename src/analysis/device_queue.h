// SPDX-License-Identifier: Apache-2.0
//
// The work of each device in the order in which it began, whatever stream it
// ran on: what a device ran next, and from when to when it had nothing to run.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/event_tree.h"

namespace stepscope {

struct DeviceQueue {
  uint32_t process = 0;
  std::vector<uint32_t> work;  // of EventTree::work()
};

// By process, type and number of the device; of work that began at once, that
// of an earlier stream first.
std::vector<DeviceQueue> QueuesByDevice(const EventTree& tree);

}  // namespace stepscope
