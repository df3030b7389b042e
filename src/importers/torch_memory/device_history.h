// SPDX-License-Identifier: Apache-2.0
//
// DeviceHistory: the blocks and segments of one device, followed through the
// events at the addresses that were recorded.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "importers/torch_memory/address_set.h"
#include "importers/torch_memory/snapshot_reader.h"
#include "memory/allocator_settings.h"

namespace stepscope::torch_memory {

// A block or a segment that was there before the first event.
struct Found {
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t padding = 0;
  uint32_t stream = 0;
  uint32_t stack = 0;
};

class DeviceHistory {
 public:
  explicit DeviceHistory(const memory::AllocatorSettings& settings)
      : settings_(settings) {}

  // First: all events forwards. With `lone_ends`, ends of frees that nobody
  // asked for are looked for: they are the frees then.
  void Look(StoredMemoryEvent& event, bool lone_ends);
  // Then what was there at the end.
  void AddFinalSegment(const FinalSegment& segment, uint32_t stream);
  void AddFinalBlock(const FinalBlock& block, uint32_t stream);
  // Then all events backwards.
  void Unwind(const StoredMemoryEvent& event);
  // Then: what was there at the beginning.
  void FindBeginning();
  const std::vector<Found>& segments() const { return segments_; }
  const std::vector<Found>& blocks() const { return blocks_; }
  // Then all events forwards again: sets bytes and padding.
  void Follow(StoredMemoryEvent& event);

 private:
  struct Range {
    int64_t bytes = 0;
    uint32_t stream = 0;
  };

  void Reserve(uint64_t address, int64_t bytes, uint32_t stream);
  void Release(uint64_t address, int64_t bytes);
  // The bytes of a large block there: up to the next one or the end of its
  // segment, if the rest is too small to be one.
  int64_t Fit(uint64_t address, int64_t rounded) const;

  const memory::AllocatorSettings settings_;
  AddressSet seen_;
  std::unordered_set<uint64_t> live_;   // in Look(), with `lone_ends`
  std::map<uint64_t, Range> reserved_;  // by address
  std::map<uint64_t, int64_t> large_;   // blocks in use, by address
  std::vector<Found> segments_;
  std::vector<Found> blocks_;
};

}  // namespace stepscope::torch_memory
