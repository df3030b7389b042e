// SPDX-License-Identifier: Apache-2.0
//
// Random bytes for ids and file names: getrandom, else a mix of clocks.
#pragma once

#include <sys/random.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collector/clock.h"

namespace stepscope::collector {

inline void RandomBytes(void* out, size_t n) {
  if (getrandom(out, n, GRND_NONBLOCK) == static_cast<ssize_t>(n)) return;
  uint64_t x =
      static_cast<uint64_t>(MonotonicNs()) ^ reinterpret_cast<uintptr_t>(out);
  auto* p = static_cast<uint8_t*>(out);
  for (size_t i = 0; i < n; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    p[i] = static_cast<uint8_t>(x >> 56);
  }
}

inline uint64_t RandomNumber() {
  uint64_t value = 0;
  RandomBytes(&value, sizeof(value));
  return value;
}

}  // namespace stepscope::collector
