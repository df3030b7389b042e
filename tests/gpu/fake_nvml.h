// SPDX-License-Identifier: Apache-2.0
//
// Controls of the fake NVML.
#pragma once

extern "C" {

// What nvmlInit returns; only the first call counts.
void fake_nvml_init(int result);
// What a device has counted; below 0: reading it fails with this error, less
// than 0.
void fake_nvml_energy(int device, long long millijoules);
// Whether MIG splits the device.
void fake_nvml_split(int device, int split);

}  // extern "C"
