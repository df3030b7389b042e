// SPDX-License-Identifier: Apache-2.0
//
// CachingAllocator: what torch's allocator of a device would do, without the
// memory. Blocks are cut from segments, the best fit of a pool is taken, free
// neighbours are joined. Exact in what is reserved and allocated; addresses of
// new segments are the caller's, and decide among free blocks of one size.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "memory/allocator_settings.h"
#include "memory/free_blocks.h"

namespace stepscope::memory {

// A new segment, and what was free when it was made.
struct NewSegment {
  int64_t bytes = 0;       // 0: there was none
  int64_t free_bytes = 0;  // of its pool, in blocks that were too small
  int64_t largest_free = 0;
};

class CachingAllocator {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  // `limit`: what may be reserved at most.
  explicit CachingAllocator(const AllocatorSettings& settings,
                            int64_t limit = AllocatorSettings::kNoLimit);

  // Returns the block. It is given even where memory is out; short_bytes()
  // then says by how much. `address`: of a new segment, 0: any.
  uint32_t Allocate(uint32_t stream, int64_t bytes, uint64_t address = 0);
  void Free(uint32_t block);
  // Gives back a segment none of which is in use; false: it is, or unknown.
  bool ReleaseSegment(uint64_t address);
  // Gives back all that is wholly free; the bytes of it.
  int64_t ReleaseFree();

  // A state that was found: segments first, then blocks in use in them.
  // False: something is there already, or it lies in no segment.
  bool AddSegment(uint32_t stream, uint64_t address, int64_t bytes);
  uint32_t AddBlock(uint32_t stream, uint64_t address, int64_t bytes);

  int64_t reserved() const { return reserved_; }
  int64_t allocated() const { return allocated_; }
  int64_t free_bytes() const { return reserved_ - allocated_; }
  int64_t largest_free() const;
  uint64_t address(uint32_t block) const { return blocks_[block].address; }
  int64_t size(uint32_t block) const { return blocks_[block].size; }
  // Of the last Allocate().
  const NewSegment& new_segment() const { return new_segment_; }
  int64_t short_bytes() const { return short_bytes_; }
  uint64_t retries() const { return retries_; }

 private:
  struct Block {
    uint64_t address = 0;
    int64_t size = 0;
    uint32_t pool = 0;
    uint32_t prev = kNone;  // neighbours in the segment
    uint32_t next = kNone;
    bool free = false;
    uint64_t freed_at = 0;  // by count of searches, for garbage collection
  };
  struct Pool {
    FreeBlocks free;
    int64_t free_bytes = 0;
    uint64_t searches = 0;
    uint32_t last = kNone;  // expandable: the block with the highest address
    uint64_t end = 0;       // expandable: where it can grow
  };

  uint32_t PoolOf(uint32_t stream, bool small);
  bool IsSmall(uint32_t pool) const { return pool % 2 != 0; }
  uint32_t NewBlock();
  void Recycle(uint32_t block);
  void SetFree(uint32_t block);
  void Unfree(uint32_t block);
  uint32_t FindFree(uint32_t pool, int64_t size);
  uint32_t MakeRoom(uint32_t pool, int64_t size, uint64_t address);
  uint32_t Reserve(uint32_t pool, int64_t size, int64_t bytes,
                   uint64_t address);
  int64_t GrowthFor(uint32_t pool, int64_t size) const;
  bool ReleaseOversized(uint32_t pool, int64_t size);
  void CollectGarbage(uint32_t pool);
  bool IsWhole(const Block& block) const {
    return block.prev == kNone && block.next == kNone;
  }
  int64_t Release(uint32_t block);
  bool ShouldSplit(const Block& block, int64_t size) const;
  // Cuts what is behind the first `size` bytes off, as a free block.
  void Split(uint32_t block, int64_t size);

  const AllocatorSettings settings_;
  const int64_t limit_;
  std::vector<Block> blocks_;
  std::vector<uint32_t> unused_;
  std::vector<Pool> pools_;  // by stream; small ones at odd numbers
  std::unordered_map<uint64_t, uint32_t> first_blocks_;  // by segment
  std::map<uint64_t, uint32_t> found_free_;  // by address, for AddBlock()
  int64_t reserved_ = 0;
  int64_t allocated_ = 0;
  NewSegment new_segment_;
  int64_t short_bytes_ = 0;
  uint64_t retries_ = 0;
  uint64_t next_address_ = uint64_t{1} << 60;
};

}  // namespace stepscope::memory
