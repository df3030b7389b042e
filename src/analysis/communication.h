// SPDX-License-Identifier: Apache-2.0
//
// What of a trace is communication: host events by type or name, kernels by
// name or because a communicating host event launched them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/interval.h"
#include "analysis/name_class.h"

namespace stepscope {

// Refers to the tree and the names, which must outlive it. Not thread-safe.
class Communication {
 public:
  Communication(const EventTree& tree, NameClasses& names);

  uint64_t host_calls() const { return host_calls_; }
  // Whether any kernel can be communication.
  bool any_kernel() const { return host_calls_ > 0 || named_kernel_; }
  // Busy time of communicating host events, by thread.
  const std::vector<IntervalSet>& by_thread() const { return by_thread_; }

  // A host event that exchanges data between processes.
  bool IsHostEvent(Row row) const { return any_host_ && Exchanges(row); }
  // A kernel that does; a kernel is communication or computation.
  bool IsKernel(const DeviceWork& work) const {
    return any_kernel() && Communicates(work);
  }

 private:
  bool Exchanges(Row row) const;
  bool Communicates(const DeviceWork& work) const;

  const EventTree& tree_;
  NameClasses& names_;
  std::vector<IntervalSet> by_thread_;
  bool any_host_ = false;  // some host event can be communication
  uint64_t host_calls_ = 0;
  bool named_kernel_ = false;  // some kernel is named after a collective
};

// What the threads of each process compute by themselves: operators, apart from
// communication in them and from what loads data. Of a process with a device,
// which computes there, nothing.
std::vector<IntervalSet> HostComputation(const EventTree& tree,
                                         const Communication& communication);

}  // namespace stepscope
