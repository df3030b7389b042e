// SPDX-License-Identifier: Apache-2.0
//
// What a rank did before it came to each of its collectives: its own time by
// name, of host events of all threads and of kernels, and the time in which
// nothing was recorded. Compared between ranks, it says what held one up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/communication.h"
#include "analysis/event_tree.h"
#include "analysis/ranks/rank_calls.h"

namespace stepscope {

// In the order in which they explain: a call that waits for a kernel says
// less than the kernel.
enum class HeldKind : uint8_t { kKernel, kHost, kWait, kNothing };

struct HeldName {
  std::string name;  // empty of kNothing
  HeldKind kind = HeldKind::kNothing;
};

struct Held {
  uint32_t name = 0;  // of RankHeld::names
  int64_t time_ns = 0;
};

// Of one rank.
struct RankHeld {
  std::vector<HeldName> names;
  // By call: what took most since the call before, longest first.
  std::vector<std::vector<Held>> before;
};

// By process, as `calls` is.
std::vector<RankHeld> FindHeld(const EventTree& tree, NameClasses& names,
                               const Communication& communication,
                               const std::vector<RankCalls>& calls);

}  // namespace stepscope
