// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices_in_use.h"

#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace stepscope::gpu {
namespace {

template <typename Function>
bool Find(const char* name, Function* function) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return false;
  *function = reinterpret_cast<Function>(dlsym(driver, name));
  return *function != nullptr;
}

}  // namespace

std::vector<uint32_t> DevicesInUse() {
  CUresult (*count)(int*) = nullptr;
  CUresult (*get)(CUdevice*, int) = nullptr;
  CUresult (*state)(CUdevice, unsigned int*, int*) = nullptr;
  std::vector<uint32_t> devices;
  int number = 0;
  if (!Find("cuDeviceGetCount", &count) || !Find("cuDeviceGet", &get) ||
      !Find("cuDevicePrimaryCtxGetState", &state) ||
      count(&number) != CUDA_SUCCESS)
    return devices;
  for (int i = 0; i < number; ++i) {
    CUdevice device = 0;
    unsigned int flags = 0;
    int active = 0;
    if (get(&device, i) == CUDA_SUCCESS &&
        state(device, &flags, &active) == CUDA_SUCCESS && active != 0)
      devices.push_back(static_cast<uint32_t>(i));
  }
  return devices;
}

bool PciBusId(uint32_t device, char* text, size_t size) {
  CUresult (*get)(CUdevice*, int) = nullptr;
  CUresult (*bus)(char*, int, CUdevice) = nullptr;
  CUdevice handle = 0;
  return Find("cuDeviceGet", &get) && Find("cuDeviceGetPCIBusId", &bus) &&
         get(&handle, static_cast<int>(device)) == CUDA_SUCCESS &&
         bus(text, static_cast<int>(size), handle) == CUDA_SUCCESS;
}

bool MpsIsThere() {
  const char* folder = secure_getenv("CUDA_MPS_PIPE_DIRECTORY");
  if (folder == nullptr || folder[0] == '\0') folder = "/tmp/nvidia-mps";
  char path[4096];
  std::snprintf(path, sizeof(path), "%s/control", folder);
  return access(path, F_OK) == 0;
}

}  // namespace stepscope::gpu
