// SPDX-License-Identifier: Apache-2.0
//
// Threads of our own in somebody else's process. They take no signals of the
// program, and they do not keep it alive: when main() has ended by
// pthread_exit() and the last thread of the program is gone, the process ends
// as it would without us. A warden sees to that.
#pragma once

#include <cstdint>

namespace stepscope::collector {

// Which file descriptors a thread sees: those of the program, or its own.
enum class Files : uint8_t { kOfProgram, kOwn };

// What a thread of ours does first and last.
class OwnThread {
 public:
  OwnThread(const char* name, Files files);
  ~OwnThread();
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;
};

// Starts a detached thread with all signals blocked. Its `main` makes an
// OwnThread. False: the system refused. Not to be called by a thread that has
// left the program's descriptors.
bool StartOwnThread(void* (*main)(void*), void* argument);

// Runs `job` on a thread with descriptors of its own, and waits for it.
// False: the system refused a thread.
bool RunApart(void (*job)(void*), void* argument);

// Counts the calling thread as ours (1) or no longer (-1); 0: one is about to
// be started. For threads that StartOwnThread does not start.
void CountOwnThread(int change);

void ResetOwnThreadsAfterFork();

}  // namespace stepscope::collector
