// SPDX-License-Identifier: Apache-2.0
//
// Which libcupti to load. Two copies in one process fight, so one that is
// loaded already wins; then the one that belongs to the CUDA libraries in use.
#pragma once

#include <cstddef>

namespace stepscope::gpu {

// True if the NVIDIA driver's library can be loaded.
bool HasDriver(char* why, size_t size);

// In this order: STEPSCOPE_CUPTI_PATH alone if it is set; one loaded already;
// beside the CUDA libraries that are loaded (those of a framework's package,
// say); CUDA_HOME and CUDA_PATH; what the system's loader finds;
// /usr/local/cuda. Null: `why` says where it was looked for.
void* OpenCupti(char* why, size_t size);

}  // namespace stepscope::gpu
