// SPDX-License-Identifier: Apache-2.0
//
// Stands for NVML: devices whose counter of energy a test sets.
#include <atomic>
#include <cstring>

namespace {
std::atomic<long long> energy{0};  // below 0: the device has no such counter
int device;
}  // namespace

extern "C" {

int nvmlInit_v2(void) { return 0; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** handle) {
  *handle = &device;
  return std::strcmp(bus, "00000000:01:00.0") == 0 ? 0 : 6;
}

int nvmlDeviceGetTotalEnergyConsumption(void* handle,
                                        unsigned long long* millijoules) {
  if (handle != &device || energy < 0) return 3;
  *millijoules = static_cast<unsigned long long>(energy.load());
  return 0;
}

void fake_nvml_energy(long long millijoules) { energy = millijoules; }

}  // extern "C"
