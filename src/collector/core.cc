// SPDX-License-Identifier: Apache-2.0
#include "collector/core.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "collector/drain.h"
#include "collector/flight.h"
#include "collector/names.h"
#include "collector/plugin_host.h"
#include "collector/process_info.h"
#include "collector/session.h"
#include "collector/thread.h"
#include "collector/unrecorded_steps.h"
#include "collector/window_file.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

extern "C" {
alignas(STEPSCOPE_GATE_BYTES) STEPSCOPE_API
    uint32_t stepscope_gate_v1[STEPSCOPE_GATE_BYTES / 4];
}

namespace stepscope::collector {

constinit Core core;

namespace {

// Runs in a forked child, where other threads are gone whatever they held:
// only plain stores.
void OnForkInChild() {
  StoreGate(0);
  core.control = PTHREAD_MUTEX_INITIALIZER;
  core.sealed = PTHREAD_COND_INITIALIZER;
  ResetNamesAfterFork();
  ResetThreadsAfterFork();
  ResetMetadataAfterFork();
  ResetUnrecordedStepsAfterFork();
  ResetDevicesAfterFork();
  ResetWindowAfterFork();
  flight.ResetAfterFork();
}

// The parent's session, ring and writer are not ours: forget them.
void StartAfresh() {
  core.ring.Abandon();
  Drain::Get()->ResetAfterFork();
  core.writer_running.store(false, std::memory_order_relaxed);
  for (Session& session : core.sessions) {
    // The descriptor is a copy of the parent's; closing ours is harmless.
    session.file.Close();
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
  const pid_t pid = getpid();
  if (core.pid == pid) return;
  if (core.pid != 0) {
    StartAfresh();
  } else {
    // Fails on kernels before 4.14; the handler below then does it alone.
    madvise(stepscope_gate_v1, sizeof(stepscope_gate_v1), MADV_WIPEONFORK);
    pthread_atfork(HoldDevicesForFork, ResumeDevicesAfterFork, OnForkInChild);
  }
  core.pid = pid;
}

// After all other destructors of the program: completes the capture of a
// process that exits while it records.
__attribute__((destructor)) void FinishAtExit() {
  if (core.pid == getpid()) flight.LeaveJob();
  FinishSessionsAtExit();
}

}  // namespace stepscope::collector
