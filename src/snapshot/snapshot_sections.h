// SPDX-License-Identifier: Apache-2.0
//
// The sections of a trace in a snapshot. Stored on disk; never renumber.
#pragma once

#include <cstdint>

namespace stepscope {

enum SnapshotSection : uint32_t {
  kFacts = 1,
  kStringEnds = 2,  // one past the last byte of each
  kStringHashes = 3,
  kStringText = 4,
  kTracks = 5,
  kStart = 6,
  kDuration = 7,
  kName = 8,
  kTrackOf = 9,
  kType = 10,
  kFlags = 11,
  kFlows = 12,
  kLinks = 13,
  kCounters = 14,
  kMemory = 15,
  kArgs = 16,
  kArgInts = 17,
  kRawRefs = 18,
  kRawBlocks = 19,
  kRawBytes = 20,
  kParent = 21,
  kDepth = 22,
  kSelf = 23,
  kMemoryTotals = 24,
};

struct StoredRawBlock {
  uint64_t end = 0;  // one past its last byte in kRawBytes
  uint32_t plain_size = 0;
  uint32_t packed = 0;
};

}  // namespace stepscope
