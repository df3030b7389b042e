// SPDX-License-Identifier: Apache-2.0
//
// For GoogleTest tests that fork while their process has other threads.
#pragma once

// g++ 12's AddressSanitizer does not take the locks of its allocator over a
// fork: if another thread of the parent held one, whoever allocates in the
// child waits for ever, as does each new thread.
#if defined(__SANITIZE_ADDRESS__)
#define STEPSCOPE_SKIP_FORK_WITH_THREADS()                             \
  GTEST_SKIP() << "AddressSanitizer may leave its allocator locked in" \
                  " the child of a process with threads"
#else
#define STEPSCOPE_SKIP_FORK_WITH_THREADS() static_cast<void>(0)
#endif
