// SPDX-License-Identifier: Apache-2.0
#include "inject/watcher.h"

#include <atomic>

#include "collector/own_thread.h"
#include "collector/sync.h"
#include "inject/cpu_sampler.h"
#include "inject/devices.h"
#include "inject/recording.h"
#include "inject/torch_watch.h"

namespace stepscope::inject {
namespace {

using collector::Files;
using collector::OwnThread;
using collector::StartOwnThread;

constexpr int64_t kPeriodNs = 20'000'000;

std::atomic<bool> running{false};
std::atomic<bool> sampling{false};
std::atomic<bool> samples_memory{false};

// Apart from the watch, which needs the program's standard error: the files
// that are read here must not take numbers of the program's.
void* Sample(void*) {
  const OwnThread self("stepscope-cpu", Files::kOwn);
  CpuSampler sampler(samples_memory.load());
  for (;;) {
    if (recording.recording()) sampler.SampleIfDue(MonotonicNs());
    collector::Pause(kPeriodNs);
  }
}

void* Watch(void*) {
  const OwnThread self("stepscope-watch", Files::kOfProgram);
  for (;;) {
    const int64_t now = MonotonicNs();
    recording.Tick(now);
    recording.TellOfLosses(now);
    WatchForTorch();
    StayAheadOfDriver(now, &FinishAtExit);
    if (recording.recording() && !sampling.exchange(true) &&
        !StartOwnThread(&Sample, nullptr))
      sampling.store(false);
    collector::Pause(kPeriodNs);
  }
}

}  // namespace

void StartWatcher(bool memory) {
  samples_memory.store(memory);
  if (!running.exchange(true) && !StartOwnThread(&Watch, nullptr))
    running.store(false);
}

void ForgetWatcher() {
  running.store(false, std::memory_order_relaxed);
  sampling.store(false, std::memory_order_relaxed);
}

}  // namespace stepscope::inject
