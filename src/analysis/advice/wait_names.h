// SPDX-License-Identifier: Apache-2.0
//
// Which events are waits for another thread, by their names: those of Python's
// library, and of the system's where a trace has its calls.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class WaitKind : uint8_t {
  kNone,
  kLock,     // until another thread lets go of it
  kHandOver  // until another thread has something, or is done
};

WaitKind KindOfWait(std::string_view name);

// A function of the modules that threads and queues are made of: what it takes
// by itself may be a wait that has no event.
bool IsThreadPlumbing(std::string_view name);

}  // namespace stepscope
