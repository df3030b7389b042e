// SPDX-License-Identifier: Apache-2.0
//
// What a capture says about its process: host, boot, ids, rank, and what the
// program adds with stepscope_set_metadata.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/block.h"

namespace stepscope::collector {

// Keeps a pair for this and later sessions; a known key gets the new value.
// At most 64 pairs, 63 bytes a key, 255 a value.
void SetMetadata(const char* key, const char* value);

void ResetMetadataAfterFork();

// The payload of a Process block, at most `room` bytes; returns its length.
size_t DescribeProcess(const char* live_path, uint8_t* out, size_t room);

// When the process started, in clock ticks after boot: tells it from a later
// process with the same pid.
long long ProcessStart();

// As launchers state it in the environment; null: they do not.
const char* RankText();

// CPU time of this process and of the machine, now.
format::UsageSample TakeUsage();

}  // namespace stepscope::collector
