// SPDX-License-Identifier: Apache-2.0
//
// Replay: a recorded sequence of allocations and frees of one device, run
// through the allocator again: as it was, under other settings, or on a device
// of another size.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/allocator_settings.h"
#include "memory/caching_allocator.h"

namespace stepscope::memory {

enum class OpKind : uint8_t {
  kAllocate,
  kFree,
  kReserve,  // recorded: a segment was made. Only its address is used
  kRelease,  // recorded: a segment was given back
  kNothing,
};

struct Op {
  int64_t bytes = 0;     // asked for; of kReserve: of the segment
  uint64_t address = 0;  // recorded
  uint32_t id = 0;       // of the allocation, from 0 upwards
  uint32_t event = 0;    // who asks knows it by this number
  uint32_t stream = 0;
  OpKind kind = OpKind::kAllocate;
};

// What was there before the first op.
struct FoundSegment {
  uint64_t address = 0;
  int64_t bytes = 0;
  uint32_t stream = 0;
};
struct FoundBlock {
  uint64_t address = 0;
  int64_t bytes = 0;      // of the block
  int64_t requested = 0;  // that were asked for
  uint32_t id = 0;
  uint32_t stream = 0;
};

struct Script {
  std::vector<FoundSegment> segments;
  std::vector<FoundBlock> blocks;  // by address
  std::vector<Op> ops;
  uint32_t allocations = 0;  // ids are below this
};

struct ReplayOptions {
  AllocatorSettings settings;
  // The settings are those of the recording: what was found before it is put
  // where it was.
  bool as_recorded = true;
  int64_t limit = AllocatorSettings::kNoLimit;
};

// An allocation for which no free block was large enough.
struct ForcedSegment {
  uint32_t op = 0;
  NewSegment segment;
};

struct ReplayResult {
  static constexpr uint32_t kNoOp = 0xffffffffu;

  int64_t peak_reserved = 0;
  int64_t peak_allocated = 0;
  uint32_t peak_reserved_op = kNoOp;  // the first that reached it
  uint32_t peak_allocated_op = kNoOp;
  int64_t reserved = 0;  // at the end
  int64_t allocated = 0;
  // Reserved and not allocated, at its most; the largest free block then.
  int64_t most_free = 0;
  int64_t largest_hole = 0;
  uint64_t retries = 0;
  // Where memory was out: by how much at the worst, and at which op; kNoOp: by
  // what was there before the first.
  int64_t short_bytes = 0;
  uint32_t worst_op = kNoOp;
  uint64_t misplaced = 0;  // at another address than recorded
  std::vector<ForcedSegment> forced;
};

ReplayResult Replay(const Script& script, const ReplayOptions& options);

}  // namespace stepscope::memory
