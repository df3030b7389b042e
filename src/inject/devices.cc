// SPDX-License-Identifier: Apache-2.0
#include "inject/devices.h"

#include <stepscope/plugin.h>

#include <atomic>
#include <cstdlib>

#include "inject/recording.h"

namespace stepscope::inject {
namespace {

std::atomic<bool> seen{false};
// After which time the handler is made once more.
constexpr int64_t kAgainNs[] = {0, 100'000'000, 500'000'000, 3'000'000'000};
constexpr int kTimes = sizeof(kAgainNs) / sizeof(kAgainNs[0]);

}  // namespace

void DeferDevices() { stepscope_use_devices(STEPSCOPE_DEVICES_LATER); }

bool DevicesSeen() { return seen.load(std::memory_order_acquire); }

void StayAheadOfDriver(int64_t now_ns, void (*finish)()) {
  static int made = 0;
  static int64_t first_ns = 0;
  if (made == kTimes || !DevicesSeen()) return;
  if (made == 0) first_ns = now_ns;
  if (now_ns - first_ns < kAgainNs[made]) return;
  std::atexit(finish);
  ++made;
}

}  // namespace stepscope::inject

// The driver calls this while it initialises, in each process that uses CUDA
// and has CUDA_INJECTION64_PATH. A window that starts later attaches them too.
extern "C" STEPSCOPE_API int InitializeInjection(void) {
  stepscope_use_devices(STEPSCOPE_DEVICES_AUTO);
  stepscope::inject::recording.Wake();
  stepscope_attach_devices();  // without a session there is nothing to do yet
  stepscope::inject::seen.store(true, std::memory_order_release);
  return 1;
}
