// SPDX-License-Identifier: Apache-2.0
//
// What all profilers of a process share. A forked child gets a fresh one: the
// parent's threads and held locks do not exist for it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "profiler/delivery_thread.h"

namespace stepscope::profiler {

class ProfilerCore;

// How long destructors, summaries and the end of the process wait for windows
// to be delivered.
inline constexpr int kDeliveryTimeoutMs = 60'000;

class ProcessState {
 public:
  // Of the calling process. Lives until it ends; then deliveries under way
  // are waited for.
  static ProcessState& Get();

  // What the end of the process does, for whoever has to do it earlier: waits,
  // and leaves a delivery that takes longer to itself. From then on nothing
  // waits for deliveries, and windows are delivered where they are sealed.
  static bool EndDeliveries(int timeout_ms);

  // Differs between a process and its forked children.
  static uint32_t Generation();

  DeliveryThread& delivery() { return delivery_; }

  // The profilers that run now, for readers; the last to start is fed.
  void AddRunning(const std::shared_ptr<ProfilerCore>& profiler);
  void RemoveRunning(const ProfilerCore* profiler);
  std::shared_ptr<ProfilerCore> LastRunning();

 private:
  DeliveryThread delivery_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<ProfilerCore>> running_;
};

}  // namespace stepscope::profiler
