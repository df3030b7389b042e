// SPDX-License-Identifier: Apache-2.0
//
// Blocks of device records on their way from a plugin to the capture. Plugins
// take and hand over blocks from any thread, without locks; the writer thread
// appends them. A fixed number of blocks: memory is bounded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/core.h"

namespace stepscope::collector {

// Makes the memory; once, kept for the life of the process. False: refused.
bool EnsureDeviceBlocks();

// Room for records of `device_type` (a name id) of the session `session`.
// Waits up to 200 ms for the writer; null after that.
void* ReserveDeviceBlock(size_t bytes, uint64_t session, uint32_t device_type);

// False: not a block that was reserved, or more bytes than it holds.
bool CommitDeviceBlock(void* block, size_t bytes, uint32_t records);

// Appends what was handed over to the sessions it belongs to; what belongs to
// a session that is sealed already is discarded. Writer thread only. Returns
// how many there were.
uint32_t DrainDeviceBlocks();

void ResetDeviceBlocksAfterFork();

}  // namespace stepscope::collector
