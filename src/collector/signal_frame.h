// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::collector {

// Copies memory of this process that may not be there. False with errno set;
// EFAULT: it is not.
bool ReadOwnMemory(uintptr_t at, void* out, size_t bytes);

// Whether the calling thread runs a signal handler, as far as its stack tells:
// the kernel leaves there where a handler returns to. `blocked` are the signals
// that the thread does not take, one bit each; without any there is no handler
// that matters. A handler that calls deeper than 32 KiB is missed.
bool RunsHandler(uint64_t blocked);

}  // namespace stepscope::collector
