// SPDX-License-Identifier: Apache-2.0
#include "importers/torch_memory/device_history.h"

#include <algorithm>

namespace stepscope::torch_memory {

void DeviceHistory::Look(StoredMemoryEvent& event, bool lone_ends) {
  if (event.kind() != MemoryKind::kAllocate &&
      event.kind() != MemoryKind::kFree)
    return;
  if (lone_ends) {
    if (event.kind() == MemoryKind::kAllocate)
      live_.insert(event.address);
    else if (live_.erase(event.address) > 0)
      event.packed &= ~SnapshotReader::kCompleted;
  }
  if (!seen_.Insert(event.address) || event.kind() != MemoryKind::kFree) return;
  // Freed, and nobody allocated it.
  event.packed &= ~SnapshotReader::kCompleted;
  blocks_.push_back({event.address, memory::RoundSize(event.bytes, settings_),
                     0, event.track, 0});
  blocks_.back().padding = blocks_.back().bytes - event.bytes;
}

void DeviceHistory::AddFinalSegment(const FinalSegment& segment,
                                    uint32_t stream) {
  Reserve(segment.address, segment.size, stream);
}

void DeviceHistory::AddFinalBlock(const FinalBlock& block, uint32_t stream) {
  if (!block.live || !seen_.Insert(block.address)) return;
  const int64_t padding =
      block.requested > 0 ? block.size - block.requested : 0;
  blocks_.push_back({block.address, block.size, std::max<int64_t>(0, padding),
                     stream, block.stack});
}

void DeviceHistory::Unwind(const StoredMemoryEvent& event) {
  if (event.kind() == MemoryKind::kReservedAllocate)
    Release(event.address, event.bytes);
  else if (event.kind() == MemoryKind::kReservedFree)
    Reserve(event.address, event.bytes, event.track);
}

void DeviceHistory::Reserve(uint64_t address, int64_t bytes, uint32_t stream) {
  if (bytes > 0) reserved_.try_emplace(address, Range{bytes, stream});
}

void DeviceHistory::Release(uint64_t address, int64_t bytes) {
  auto range = reserved_.upper_bound(address);
  if (range == reserved_.begin()) return;
  --range;
  const uint64_t begin = range->first;
  const uint64_t end = begin + static_cast<uint64_t>(range->second.bytes);
  if (address >= end) return;
  const uint32_t stream = range->second.stream;
  const uint64_t gone = std::min(end, address + static_cast<uint64_t>(bytes));
  reserved_.erase(range);
  if (address > begin)
    Reserve(begin, static_cast<int64_t>(address - begin), stream);
  if (end > gone) Reserve(gone, static_cast<int64_t>(end - gone), stream);
}

void DeviceHistory::FindBeginning() {
  for (const auto& [address, range] : reserved_)
    segments_.push_back({address, range.bytes, 0, range.stream, 0});
  std::sort(blocks_.begin(), blocks_.end(), [](const Found& a, const Found& b) {
    return a.address < b.address;
  });
  for (const Found& block : blocks_)
    if (block.bytes > memory::kSmallSize) large_[block.address] = block.bytes;
  for (Found& block : blocks_) {
    if (block.bytes <= memory::kSmallSize) continue;
    const int64_t whole = Fit(block.address, block.bytes);
    block.padding += whole - block.bytes;
    large_[block.address] = block.bytes = whole;
  }
}

int64_t DeviceHistory::Fit(uint64_t address, int64_t rounded) const {
  if (settings_.expandable_segments) return rounded;
  auto range = reserved_.upper_bound(address);
  if (range == reserved_.begin()) return rounded;
  --range;
  uint64_t end = range->first + static_cast<uint64_t>(range->second.bytes);
  if (address >= end) return rounded;
  const auto next = large_.upper_bound(address);
  if (next != large_.end()) end = std::min(end, next->first);
  const auto room = static_cast<int64_t>(end - address);
  if (room < rounded) return rounded;
  const bool whole = rounded >= settings_.max_split_bytes ||
                     room - rounded <= memory::kSmallSize;
  return whole ? room : rounded;
}

void DeviceHistory::Follow(StoredMemoryEvent& event) {
  const int64_t stated = event.bytes;
  const MemoryKind kind = event.kind();
  if (kind == MemoryKind::kReservedAllocate) {
    Reserve(event.address, stated, event.track);
    return;
  }
  if (kind == MemoryKind::kReservedFree) {
    Release(event.address, stated);
    event.bytes = -stated;
    return;
  }
  // It was freed before; only now can it be used again.
  if ((event.packed & SnapshotReader::kCompleted) != 0) {
    event.bytes = 0;
    return;
  }
  int64_t bytes = memory::RoundSize(stated, settings_);
  if (bytes > memory::kSmallSize && !settings_.expandable_segments) {
    if (kind == MemoryKind::kAllocate) {
      bytes = Fit(event.address, bytes);
      large_[event.address] = bytes;
    } else if (const auto live = large_.find(event.address);
               live != large_.end()) {
      bytes = live->second;
      large_.erase(live);
    }
  }
  event.SetPadding(bytes - stated);
  event.bytes = kind == MemoryKind::kAllocate ? bytes : -bytes;
}

}  // namespace stepscope::torch_memory
