// SPDX-License-Identifier: Apache-2.0
//
// Retries: allocations for which the device had nothing more, so that the
// allocator gave segments back and asked again. The device is waited for
// meanwhile. A program that empties the cache itself is none.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/memory_script.h"

namespace stepscope {

struct MemoryRetry {
  size_t event = 0;       // the allocation, of Trace::memory()
  uint64_t segments = 0;  // that were given back
  int64_t released_bytes = 0;
  int64_t reserved_bytes = 0;  // then
  int64_t begin_ns = 0;        // when the first segment had been given back
  int64_t took_ns = 0;         // from then until there was memory: at least
};

// By time. Only where it is known who gave segments back: the same call of the
// program that then got memory.
std::vector<MemoryRetry> FindMemoryRetries(const Trace& trace,
                                           const MemoryScript& script);

}  // namespace stepscope
