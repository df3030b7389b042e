// SPDX-License-Identifier: Apache-2.0
//
// Starting and stopping. All functions may be called from any thread; they
// take Core::control for microseconds and never wait for the disk beyond
// creating a file, except WaitSealed.
//
// Entry 0 of the ring's thread table is no thread: it counts losses that have
// no thread entry (more threads than the table holds, events after a thread's
// teardown, re-entered recorder).
#pragma once

#include <stepscope/c.h>

#include <cstddef>
#include <cstdint>

namespace stepscope::collector {

int PrepareSession(const stepscope_options* options);
int StartSession(const stepscope_options* options);
int StopSession();
int WaitSealed(uint64_t id, int timeout_ms);
int SessionPath(uint64_t id, char* buffer, size_t size);
uint64_t CurrentSession();
int SessionStats(stepscope_stats* stats);

// Stops what records and waits, bounded, for its file.
void FinishSessionsAtExit();

}  // namespace stepscope::collector
