// SPDX-License-Identifier: Apache-2.0
//
// How much work something is, for tests: unlike the time on the wall, it does
// not grow while other programs have the processors.
#pragma once

#include <time.h>

namespace stepscope {

// Of all threads of this process so far.
inline double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

// A sanitizer makes everything slower, quadratic work too.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double kCpuFactor = 10;
#else
inline constexpr double kCpuFactor = 1;
#endif

}  // namespace stepscope
