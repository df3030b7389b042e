// SPDX-License-Identifier: Apache-2.0
//
// The writer thread: empties full chunks into capture files, keeps clock
// anchors coming, seals stopped sessions, prefaults the ring. It exists while
// a session does.
#pragma once

namespace stepscope::collector {

// Starts the thread unless it runs. REQUIRES: control held. False: the system
// refused a thread.
bool EnsureWriter();

// Runs `job` on the writer thread, whose descriptors are its own, and waits for
// it. REQUIRES: control held, by which the writer does not wait for the caller.
// False: as EnsureWriter.
bool RunOnWriter(void (*job)(void*), void* argument);

// Writer thread: does what somebody waits for. Called often.
void ServeJob();

void ResetWriterAfterFork();

}  // namespace stepscope::collector
