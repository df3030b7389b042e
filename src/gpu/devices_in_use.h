// SPDX-License-Identifier: Apache-2.0
//
// The devices that this process uses, asked of the driver that it has loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepscope::gpu {

// Those with an active primary context, which is what the runtime and all
// frameworks use. Empty as long as the driver initialises.
std::vector<uint32_t> DevicesInUse();

// "00000000:01:00.0"; false: the driver does not say.
bool PciBusId(uint32_t device, char* text, size_t size);

// Whether the server is here by which processes run on one device at once.
bool MpsIsThere();

}  // namespace stepscope::gpu
