// SPDX-License-Identifier: Apache-2.0
//
// Stands for NVML: four devices whose counters of energy a test sets. Device n
// is at the place that the fake driver says.
#include <atomic>
#include <cstdio>

namespace {
constexpr int kDevices = 4;
struct Device {
  // Below 0: no count, but that error, less than 0.
  std::atomic<long long> energy{0};
  std::atomic<bool> split{false};
};
Device devices[kDevices];
std::atomic<int> init{0};
}  // namespace

extern "C" {

int nvmlInit_v2(void) { return init; }

const char* nvmlErrorString(int result) {
  return result == 3 ? "Not Supported" : "Fake Error";
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** handle) {
  unsigned place = 0;
  if (std::sscanf(bus, "00000000:%02X:00.0", &place) != 1 || place == 0 ||
      place > kDevices)
    return 6;
  *handle = &devices[place - 1];
  return 0;
}

int nvmlDeviceGetMigMode(void* handle, unsigned* now, unsigned* after_reset) {
  *now = *after_reset = static_cast<Device*>(handle)->split ? 1 : 0;
  return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void* handle,
                                        unsigned long long* millijoules) {
  const long long energy = static_cast<Device*>(handle)->energy;
  if (energy < 0) return static_cast<int>(-energy);
  *millijoules = static_cast<unsigned long long>(energy);
  return 0;
}

void fake_nvml_init(int result) { init = result; }
void fake_nvml_energy(int device, long long millijoules) {
  devices[device].energy = millijoules;
}
void fake_nvml_split(int device, int split) {
  devices[device].split = split != 0;
}

}  // extern "C"
