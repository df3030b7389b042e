// SPDX-License-Identifier: Apache-2.0
//
// Threads that are cancelled. Cancellation is deferred: it may act where the
// guest asks for it, between two events, and nowhere inside the recorder.
#include <unistd.h>

#include <atomic>

#include "guest/troubles.h"

namespace stepscope::guest {
namespace {

struct Victim {
  uint64_t seed = 0;
  uint32_t styles = 0;
  bool pending = false;  // is cancelled before it records at all
};

class Target {
 public:
  Target() { BecomeTarget(); }
  ~Target() { NoLongerTarget(); }
};

void* Record(void* argument) {
  const Victim victim = *static_cast<const Victim*>(argument);
  Rng rng(victim.seed);
  EnterThread("cancelled");
  const Target target;
  if (victim.pending) {
    pthread_cancel(pthread_self());
    // Chunks and room for names are reserved on the way.
    RecordLongNames(500);
    RecordEvents(10000, victim.styles, &rng);
  }
  for (;;) {
    RecordEvents(50, victim.styles, &rng);
    pthread_testcancel();
  }
  return nullptr;
}

std::atomic<bool> in_control{false};

void* StopAndWait(void*) {
  EnterThread("controls");
  stepscope_stats stats{};
  stats.struct_size = sizeof(stats);
  char path[4096];
  for (int i = 0; i < 100; ++i) {
    stepscope_get_stats(&stats);
    stepscope_session_path(stepscope_session(), path, sizeof(path));
    stepscope_set_metadata("key", "value");
  }
  in_control.store(true);
  stepscope_stop();
  const int waited = stepscope_wait(stepscope_session(), 60000);
  if (waited != STEPSCOPE_OK)
    Find("wait on a thread that is cancelled gave %d (%s)", waited,
         stepscope_last_error());
  for (;;) {
    usleep(1000);
    pthread_testcancel();
  }
  return nullptr;
}

void ExpectCancelled(pthread_t thread) {
  void* result = nullptr;
  pthread_join(thread, &result);
  if (result != PTHREAD_CANCELED) Find("a cancelled thread returned");
}

}  // namespace

void CancelThreads(const Scenario& scenario, Rng* rng) {
  for (int i = 0; i < 4 || (RecordersAtWork() && i < 100); ++i) {
    Victim victim{(*rng)(), scenario.styles, (*rng)() % 2 == 0};
    pthread_t thread;
    if (!StartThread(&thread, Record, &victim)) return;
    usleep(static_cast<useconds_t>((*rng)() % 5000));
    pthread_cancel(thread);
    ExpectCancelled(thread);
  }
}

void CancelControl() {
  if (stepscope_session() == 0) return;  // none could be started
  pthread_t thread;
  if (!StartThread(&thread, StopAndWait, nullptr)) return;
  while (!in_control.load()) usleep(100);
  pthread_cancel(thread);
  ExpectCancelled(thread);
}

}  // namespace stepscope::guest
