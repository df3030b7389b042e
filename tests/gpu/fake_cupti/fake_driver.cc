// SPDX-License-Identifier: Apache-2.0
//
// Stands for the NVIDIA driver: the plugin looks whether it can be loaded, and
// which of its devices are in use.
#include "fake_driver.h"

#include <cuda.h>

#include <atomic>
#include <cstdio>

namespace {
std::atomic<int> devices{1};
std::atomic<uint32_t> used{1};
}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }

CUresult cuDeviceGetCount(int* count) {
  *count = devices;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal < devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags,
                                    int* active) {
  *flags = 0;
  *active = static_cast<int>(used >> device & 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice device) {
  std::snprintf(text, static_cast<size_t>(size), "00000000:%02X:00.0",
                device + 1);
  return CUDA_SUCCESS;
}

void fake_driver_devices(int count, uint32_t in_use) {
  devices = count;
  used = in_use;
}

}  // extern "C"
