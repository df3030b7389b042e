// SPDX-License-Identifier: Apache-2.0
//
// CallLog: the calls into CUDA that do work, as told by callbacks at their two
// ends, and the nodes of graphs that they make. CUPTI's own records of calls
// cost more: once CUDA is in use they come for every call or for none,
// thousands in a step of which most only ask.
//
// A ring of fixed size. The threads of the program fill it without locks or
// allocation; the device thread empties it. When it is full, calls are counted
// as lost.
#pragma once

#include <stepscope/plugin.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/cupti_api.h"
#include "gpu/kinds.h"
#include "gpu/open_calls.h"

namespace stepscope::gpu {

class CallLog {
 public:
  struct Call {
    uint64_t start = 0;  // in ticks
    uint64_t end = 0;
    uint32_t correlation = 0;
    uint32_t cbid = 0;
    uint32_t thread = 0;
    uint32_t result = 0;
    CUpti_CallbackDomain domain = CUPTI_CB_DOMAIN_INVALID;

    // A node of a graph, which the call with this correlation made: `start` is
    // its id, `end` that of the node it is a copy of, or 0.
    bool is_node() const { return domain == CUPTI_CB_DOMAIN_RESOURCE; }
  };

  // Makes the ring, once. False: the system refuses the memory.
  bool Prepare();
  // Asks CUPTI for the callbacks. False: it gives none.
  bool Begin(const stepscope_plugin_host* host, const CuptiApi& api,
             CUpti_SubscriberHandle subscriber);
  // Takes the callbacks back, so that calls cost nothing, or asks for them
  // again. After this CUPTI must not be finalised: see docs/decisions/0010.
  // False: CUPTI refused some.
  bool SetCallbacks(const CuptiApi& api, CUpti_SubscriberHandle subscriber,
                    bool on);
  // From now on calls are not logged. Their callbacks stay until CUPTI is
  // finalised or left: see docs/decisions/0010.
  void End() { host_.store(nullptr, std::memory_order_release); }

  // Whether there are callbacks at all.
  bool listens() const { return !wanted_.empty(); }

  // From the subscriber's callback, any thread.
  void OnCall(CUpti_CallbackDomain domain, CUpti_CallbackId id,
              const CUpti_CallbackData& data);
  // Likewise; `original`: the node that it is a copy of, or 0.
  void OnNode(uint64_t node, uint64_t original);

  // Device thread. Oldest first; false: none.
  bool Next(Call* call);
  // How many calls found no room, since the last time it was asked.
  uint64_t TakeLost() {
    return lost_.exchange(0, std::memory_order_relaxed) + open_.TakeLost();
  }

  static constexpr uint32_t kSlots = 1u << 17;

 private:
  // A slot is written in turn 0, read in turn 1, written in turn 2, and so on:
  // memory that is all zero is an empty ring.
  struct Slot {
    std::atomic<uint32_t> turn;
    uint32_t correlation;
    uint64_t start;
    uint64_t end;
    uint32_t cbid;
    uint32_t thread;
    uint32_t result;
    uint32_t domain;
  };
  static uint32_t TurnToWrite(uint64_t position) {
    return static_cast<uint32_t>(position / kSlots * 2);
  }

  void Put(const Call& call);

  Slot* slots_ = nullptr;
  std::vector<ApiCall> wanted_;
  std::atomic<uint64_t> head_{0};
  uint64_t tail_ = 0;
  std::atomic<uint64_t> lost_{0};
  std::atomic<const stepscope_plugin_host*> host_{nullptr};  // null: off
  OpenCalls open_;
};

}  // namespace stepscope::gpu
