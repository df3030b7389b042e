// SPDX-License-Identifier: Apache-2.0
#include "collector/core.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "collector/drain.h"
#include "collector/flight.h"
#include "collector/names.h"
#include "collector/own_thread.h"
#include "collector/plugin_host.h"
#include "collector/process_info.h"
#include "collector/session.h"
#include "collector/thread.h"
#include "collector/unrecorded_steps.h"
#include "collector/window_file.h"
#include "collector/writer.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

extern "C" {
alignas(STEPSCOPE_GATE_BYTES)
    STEPSCOPE_API uint32_t stepscope_gate_v1[STEPSCOPE_GATE_BYTES / 4];
}

namespace stepscope::collector {

constinit Core core;

namespace {

// A word of the gate's pages, which the kernel clears in a child that has its
// own memory: 1 in the process that made the core, 2 while a child forgets.
constexpr uint32_t kProcessMark = 16;
std::atomic<bool> mark_works{false};
bool handlers_made = false;

// Runs in a forked child, where other threads are gone whatever they held:
// only plain stores. The parent's session, ring and writer are not ours.
void OnForkInChild() {
  StoreGate(0);
  core.control = PTHREAD_MUTEX_INITIALIZER;
  core.pid = 0;
  ResetOwnThreadsAfterFork();
  ResetNamesAfterFork();
  ResetThreadsAfterFork();
  ResetMetadataAfterFork();
  ResetUnrecordedStepsAfterFork();
  ResetDevicesAfterFork();
  ResetWindowAfterFork();
  flight.ResetAfterFork();
  core.ring.Abandon();
  Drain::Get()->ResetAfterFork();
  ResetWriterAfterFork();
  for (Session& session : core.sessions) {
    session.file.ForgetAfterFork();
    session.state.store(SessionState::kUnused, std::memory_order_relaxed);
    session.generation.store(0, std::memory_order_relaxed);
  }
}

}  // namespace

Session* SessionOf(uint32_t generation) {
  for (Session& session : core.sessions)
    if (session.NeedsRing() &&
        session.generation.load(std::memory_order_relaxed) == generation)
      return &session;
  return nullptr;
}

void EnsureCore() {
  if (core.pid != 0) return;
  // Fails on kernels before 4.14; the handler below then does it alone.
  mark_works = madvise(stepscope_gate_v1, sizeof(stepscope_gate_v1),
                       MADV_WIPEONFORK) == 0;
  __atomic_store_n(&stepscope_gate_v1[kProcessMark], 1u, __ATOMIC_RELEASE);
  if (!handlers_made)
    pthread_atfork(HoldDevicesForFork, ResumeDevicesAfterFork, OnForkInChild);
  handlers_made = true;
  core.pid = getpid();
}

void ForgetParent() {
  if (core.pid == 0 || !mark_works) return;
  uint32_t* const mark = &stepscope_gate_v1[kProcessMark];
  uint32_t seen = __atomic_load_n(mark, __ATOMIC_ACQUIRE);
  if (seen == 0 &&
      __atomic_compare_exchange_n(mark, &seen, 2u, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    OnForkInChild();
    __atomic_store_n(mark, 1u, __ATOMIC_RELEASE);
    return;
  }
  while (__atomic_load_n(mark, __ATOMIC_ACQUIRE) == 2) Pause(10000);
}

// After all other destructors of the program: completes the capture of a
// process that exits while it records.
__attribute__((destructor)) void FinishAtExit() {
  if (core.pid == getpid()) flight.LeaveJob();
  FinishSessionsAtExit();
}

}  // namespace stepscope::collector
