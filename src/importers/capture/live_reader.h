// SPDX-License-Identifier: Apache-2.0
//
// Reads the live file that a killed process left behind (or that a running one
// records into) by copying it: nothing is mapped, no size in it is trusted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/file.h"
#include "format/block.h"
#include "format/live_file.h"
#include "importers/capture/metadata.h"

namespace stepscope::capture {

struct LiveChunk {
  uint32_t index = 0;
  format::ChunkHeader header = {};
  std::vector<format::Slot> slots;  // up to the last used one
};

// A run of slots that one thread recorded, within a chunk.
struct LiveRun {
  uint32_t thread_uid = 0;
  uint32_t seq = 0;
  uint32_t first_slot = 0;
  uint32_t slots = 0;
  uint64_t first_tick = 0;
};

struct LiveData {
  uint64_t heartbeat = 0;
  uint64_t names_refused = 0;
  std::vector<LiveChunk> chunks;  // of the session, not empty
};

// What the live file of a capture holds (see OpenLive()); its names and threads
// go to `tables`.
LiveData ReadLive(const File& live, const format::FileHeader& capture,
                  Metadata& tables);

// Parts a chunk by the owner records in it.
std::vector<LiveRun> SplitRuns(const LiveChunk& chunk);

}  // namespace stepscope::capture
