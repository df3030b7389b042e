// SPDX-License-Identifier: Apache-2.0
#include "memory/caching_allocator.h"

#include <algorithm>

namespace stepscope::memory {
namespace {

// How much larger than asked for an unsplittable block may be.
constexpr int64_t kOversizeSlack = kLargeSegment;

}  // namespace

CachingAllocator::CachingAllocator(const AllocatorSettings& settings,
                                   int64_t limit)
    : settings_(settings), limit_(limit) {}

uint32_t CachingAllocator::PoolOf(uint32_t stream, bool small) {
  const size_t pool = size_t{stream} * 2 + (small ? 1 : 0);
  if (pool >= pools_.size()) pools_.resize((size_t{stream} + 1) * 2);
  return static_cast<uint32_t>(pool);
}

uint32_t CachingAllocator::NewBlock() {
  if (!unused_.empty()) {
    const uint32_t block = unused_.back();
    unused_.pop_back();
    blocks_[block] = {};
    return block;
  }
  blocks_.emplace_back();
  return static_cast<uint32_t>(blocks_.size() - 1);
}

void CachingAllocator::Recycle(uint32_t block) { unused_.push_back(block); }

void CachingAllocator::SetFree(uint32_t block) {
  Block& b = blocks_[block];
  Pool& pool = pools_[b.pool];
  b.free = true;
  b.freed_at = pool.searches;
  pool.free.Insert({b.size, b.address, block});
  pool.free_bytes += b.size;
}

void CachingAllocator::Unfree(uint32_t block) {
  Block& b = blocks_[block];
  Pool& pool = pools_[b.pool];
  pool.free.Erase({b.size, b.address, block});
  pool.free_bytes -= b.size;
  b.free = false;
}

uint32_t CachingAllocator::FindFree(uint32_t pool_number, int64_t size) {
  Pool& pool = pools_[pool_number];
  ++pool.searches;
  FreeBlocks::Place place = pool.free.LowerBound({size, 0, 0});
  if (pool.free.IsEnd(place)) return kNone;
  if (settings_.expandable_segments) {
    // The last block can grow, so that it is the worst fit of all.
    if (pool.free.At(place).block == pool.last) {
      const FreeBlocks::Place next = pool.free.Next(place);
      if (!pool.free.IsEnd(next)) place = next;
    }
    return pool.free.At(place).block;
  }
  const FreeBlock& found = pool.free.At(place);
  const int64_t most = settings_.max_split_bytes;
  if (size < most && found.size >= most) return kNone;
  if (size >= most && found.size >= size + kOversizeSlack) return kNone;
  return found.block;
}

bool CachingAllocator::ShouldSplit(const Block& block, int64_t size) const {
  const int64_t rest = block.size - size;
  if (IsSmall(block.pool) || settings_.expandable_segments)
    return rest >= kMinBlock;
  return size < settings_.max_split_bytes && rest > kSmallSize;
}

void CachingAllocator::Split(uint32_t block, int64_t size) {
  const uint32_t rest = NewBlock();
  Block& b = blocks_[block];
  Block& r = blocks_[rest];
  r.address = b.address + static_cast<uint64_t>(size);
  r.size = b.size - size;
  r.pool = b.pool;
  r.prev = block;
  r.next = b.next;
  if (b.next != kNone) blocks_[b.next].prev = rest;
  b.next = rest;
  b.size = size;
  Pool& pool = pools_[b.pool];
  if (pool.last == block) pool.last = rest;
  SetFree(rest);
}

uint32_t CachingAllocator::Allocate(uint32_t stream, int64_t bytes,
                                    uint64_t address) {
  new_segment_ = {};
  short_bytes_ = 0;
  const int64_t size = RoundSize(bytes, settings_);
  const uint32_t pool = PoolOf(stream, size <= kSmallSize);
  uint32_t block = FindFree(pool, size);
  if (block == kNone)
    block = MakeRoom(pool, size, address);
  else
    Unfree(block);
  if (ShouldSplit(blocks_[block], size)) Split(block, size);
  allocated_ += blocks_[block].size;
  return block;
}

// What has to be reserved more so that a block of that size is there.
int64_t CachingAllocator::GrowthFor(uint32_t pool_number, int64_t size) const {
  if (!settings_.expandable_segments) return SegmentSize(size);
  const Pool& pool = pools_[pool_number];
  const int64_t page = IsSmall(pool_number) ? kSmallSegment : kLargeSegment;
  const bool grows = pool.last != kNone && blocks_[pool.last].free;
  const int64_t missing = size - (grows ? blocks_[pool.last].size : 0);
  return (missing + page - 1) / page * page;
}

uint32_t CachingAllocator::MakeRoom(uint32_t pool_number, int64_t size,
                                    uint64_t address) {
  if (settings_.garbage_collection_threshold > 0 &&
      limit_ != AllocatorSettings::kNoLimit)
    CollectGarbage(pool_number);
  const Pool& pool = pools_[pool_number];
  new_segment_.free_bytes = pool.free_bytes;
  new_segment_.largest_free = pool.free.empty() ? 0 : pool.free.largest().size;
  const auto fits = [&] {
    return GrowthFor(pool_number, size) <= limit_ - reserved_;
  };
  if (!fits()) {
    if (settings_.max_split_bytes == AllocatorSettings::kNoLimit ||
        !ReleaseOversized(pool_number, size) || !fits()) {
      ++retries_;
      ReleaseFree();
      if (!fits())
        short_bytes_ = reserved_ + GrowthFor(pool_number, size) - limit_;
    }
  }
  const int64_t growth = GrowthFor(pool_number, size);
  new_segment_.bytes = growth;
  return Reserve(pool_number, size, growth, address);
}

uint32_t CachingAllocator::Reserve(uint32_t pool_number, int64_t size,
                                   int64_t bytes, uint64_t address) {
  Pool& pool = pools_[pool_number];
  reserved_ += bytes;
  if (settings_.expandable_segments) {
    if (pool.last != kNone && blocks_[pool.last].free &&
        blocks_[pool.last].size < size) {
      const uint32_t last = pool.last;
      Unfree(last);
      blocks_[last].size += bytes;
      pool.end += static_cast<uint64_t>(bytes);
      return last;
    }
    if (pool.end == 0) pool.end = uint64_t{pool_number + 1} << 44;
    const uint32_t block = NewBlock();
    Block& b = blocks_[block];
    b.address = pool.end;
    b.size = bytes;
    b.pool = pool_number;
    b.prev = pool.last;
    if (pool.last != kNone) blocks_[pool.last].next = block;
    pool.last = block;
    pool.end += static_cast<uint64_t>(bytes);
    return block;
  }
  if (address == 0 || first_blocks_.contains(address)) {
    address = next_address_;
    next_address_ += static_cast<uint64_t>(bytes);
  }
  const uint32_t block = NewBlock();
  Block& b = blocks_[block];
  b.address = address;
  b.size = bytes;
  b.pool = pool_number;
  first_blocks_[address] = block;
  return block;
}

void CachingAllocator::Free(uint32_t block) {
  allocated_ -= blocks_[block].size;
  Pool& pool = pools_[blocks_[block].pool];
  const auto join = [&](uint32_t left, uint32_t right) {
    Block& l = blocks_[left];
    const Block& r = blocks_[right];
    l.size += r.size;
    l.next = r.next;
    if (r.next != kNone) blocks_[r.next].prev = left;
    if (pool.last == right) pool.last = left;
    Recycle(right);
  };
  const uint32_t next = blocks_[block].next;
  if (next != kNone && blocks_[next].free) {
    Unfree(next);
    join(block, next);
  }
  const uint32_t prev = blocks_[block].prev;
  if (prev != kNone && blocks_[prev].free) {
    Unfree(prev);
    join(prev, block);
    block = prev;
  }
  SetFree(block);
}

// A free block that is a whole segment; of an expandable one, its pages at the
// end. Returns the bytes.
int64_t CachingAllocator::Release(uint32_t block) {
  Block& b = blocks_[block];
  const int64_t bytes = b.size;
  Unfree(block);
  reserved_ -= bytes;
  if (settings_.expandable_segments) {
    Pool& pool = pools_[b.pool];
    pool.last = b.prev;
    pool.end -= static_cast<uint64_t>(bytes);
    if (b.prev != kNone) blocks_[b.prev].next = kNone;
  } else {
    first_blocks_.erase(b.address);
  }
  Recycle(block);
  return bytes;
}

bool CachingAllocator::ReleaseSegment(uint64_t address) {
  const auto found = first_blocks_.find(address);
  if (found == first_blocks_.end()) return false;
  const Block& block = blocks_[found->second];
  if (!block.free || !IsWhole(block)) return false;
  Release(found->second);
  return true;
}

int64_t CachingAllocator::ReleaseFree() {
  int64_t released = 0;
  if (settings_.expandable_segments) {
    for (uint32_t p = 0; p < pools_.size(); ++p) {
      const uint32_t last = pools_[p].last;
      if (last == kNone || !blocks_[last].free) continue;
      const int64_t page = IsSmall(p) ? kSmallSegment : kLargeSegment;
      const int64_t whole = blocks_[last].size / page * page;
      if (whole == 0) continue;
      if (whole < blocks_[last].size) {
        Unfree(last);
        blocks_[last].size -= whole;
        SetFree(last);
        pools_[p].end -= static_cast<uint64_t>(whole);
        reserved_ -= whole;
        released += whole;
      } else {
        released += Release(last);
      }
    }
    return released;
  }
  std::vector<uint32_t> whole;
  for (const auto& [address, block] : first_blocks_)
    if (blocks_[block].free && IsWhole(blocks_[block])) whole.push_back(block);
  for (const uint32_t block : whole) released += Release(block);
  return released;
}

// Where blocks of some size are never split: first one that would do, else the
// largest of them until it is enough.
bool CachingAllocator::ReleaseOversized(uint32_t pool_number, int64_t size) {
  Pool& pool = pools_[pool_number];
  const int64_t least = std::max(size, settings_.max_split_bytes);
  const FreeBlocks::Place fit = pool.free.LowerBound({least, 0, 0});
  if (!pool.free.IsEnd(fit)) {
    const uint32_t block = pool.free.At(fit).block;
    if (!IsWhole(blocks_[block])) return false;
    Release(block);
    return true;
  }
  int64_t released = 0;
  while (!pool.free.empty() && released < size) {
    const FreeBlock largest = pool.free.largest();
    if (largest.size < settings_.max_split_bytes ||
        !IsWhole(blocks_[largest.block]))
      return false;
    released += Release(largest.block);
  }
  return released >= size;
}

// Gives back whole segments of the large pools that were not used for longest,
// until less than the threshold is reserved.
void CachingAllocator::CollectGarbage(uint32_t pool_number) {
  const auto threshold = static_cast<int64_t>(
      settings_.garbage_collection_threshold * static_cast<double>(limit_));
  if (reserved_ <= threshold || IsSmall(pool_number)) return;
  const int64_t target = reserved_ - threshold;
  Pool& pool = pools_[pool_number];
  std::vector<uint32_t> whole;
  uint64_t ages = 0;
  const auto age = [&](uint32_t block) {
    return pool.searches - blocks_[block].freed_at;
  };
  for (FreeBlocks::Place at = pool.free.First(); !pool.free.IsEnd(at);
       at = pool.free.Next(at)) {
    const uint32_t block = pool.free.At(at).block;
    if (!IsWhole(blocks_[block])) continue;
    whole.push_back(block);
    ages += age(block);
  }
  int64_t released = 0;
  for (bool any = true; any && released < target && !whole.empty();) {
    any = false;
    const uint64_t old = ages / whole.size();
    std::vector<uint32_t> rest;
    for (const uint32_t block : whole) {
      if (released >= target || age(block) < old) {
        rest.push_back(block);
        continue;
      }
      any = true;
      ages -= age(block);
      released += Release(block);
    }
    whole.swap(rest);
  }
}

bool CachingAllocator::AddSegment(uint32_t stream, uint64_t address,
                                  int64_t bytes) {
  if (settings_.expandable_segments || bytes <= 0 ||
      first_blocks_.contains(address))
    return false;
  const uint32_t pool = PoolOf(stream, bytes <= kSmallSegment);
  const uint32_t block = Reserve(pool, bytes, bytes, address);
  SetFree(block);
  found_free_[blocks_[block].address] = block;
  return true;
}

uint32_t CachingAllocator::AddBlock(uint32_t stream, uint64_t address,
                                    int64_t bytes) {
  auto found = found_free_.upper_bound(address);
  if (found == found_free_.begin() || bytes <= 0) return kNone;
  --found;
  uint32_t block = found->second;
  const auto before = static_cast<int64_t>(address - blocks_[block].address);
  if (before > blocks_[block].size || blocks_[block].size - before < bytes ||
      blocks_[block].pool / 2 != stream)
    return kNone;
  Unfree(block);
  if (before > 0) {
    Split(block, before);
    const uint32_t behind = blocks_[block].next;
    SetFree(block);
    Unfree(behind);
    block = behind;
  } else {
    found_free_.erase(found);
  }
  if (blocks_[block].size > bytes) {
    Split(block, bytes);
    const uint32_t rest = blocks_[block].next;
    found_free_[blocks_[rest].address] = rest;
  }
  allocated_ += bytes;
  return block;
}

int64_t CachingAllocator::largest_free() const {
  int64_t largest = 0;
  for (const Pool& pool : pools_)
    if (!pool.free.empty())
      largest = std::max(largest, pool.free.largest().size);
  return largest;
}

}  // namespace stepscope::memory
