// SPDX-License-Identifier: Apache-2.0
#include "counted_waits.h"

#include <time.h>
#include <unistd.h>

namespace {
thread_local long waits = 0;
}  // namespace

extern "C" {

int usleep(useconds_t us) {
  ++waits;
  const timespec time = {static_cast<time_t>(us / 1'000'000),
                         static_cast<long>(us % 1'000'000) * 1000};
  return nanosleep(&time, nullptr);
}

long counted_waits(void) { return waits; }

}  // extern "C"
