// SPDX-License-Identifier: Apache-2.0
#include "inject/watcher.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <atomic>

#include "inject/cpu_sampler.h"
#include "inject/devices.h"
#include "inject/recording.h"
#include "inject/torch_watch.h"

namespace stepscope::inject {
namespace {

constexpr int64_t kPeriodNs = 20'000'000;

std::atomic<bool> running{false};

void* Watch(void*) {
  pthread_setname_np(pthread_self(), "stepscope-watch");
  CpuSampler sampler;
  for (;;) {
    const int64_t now = MonotonicNs();
    recording.Tick(now);
    WatchForTorch();
    StayAheadOfDriver(now, &FinishAtExit);
    if (recording.recording()) sampler.SampleIfDue(now);
    const timespec period = {0, kPeriodNs};
    nanosleep(&period, nullptr);
  }
}

}  // namespace

void StartWatcher() {
  if (running.exchange(true)) return;
  // The thread inherits the mask: no signal of the program lands on it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, &Watch, nullptr) != 0)
    running.store(false);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ForgetWatcher() { running.store(false, std::memory_order_relaxed); }

}  // namespace stepscope::inject
