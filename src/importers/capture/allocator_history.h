// SPDX-License-Identifier: Apache-2.0
//
// AllocatorHistory: what torch's allocator recorded of the memory of devices by
// itself, joined with what the capture has. The history has every allocation,
// free and segment, exact to the byte, but knows no thread; the capture knows
// the operators. Where allocations were told to the capture, too, the two are
// the same by address and order; else the operator is the one that ran then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "importers/capture/history_join.h"
#include "trace/build/trace_builder.h"

namespace stepscope::capture {

class AllocatorHistory {
 public:
  // The payload of a block of device records, if it is of parts of files; from
  // its first bytes.
  static bool IsPart(std::span<const uint8_t> head);

  // A block, in the order of the file. False: it is damaged.
  bool AddBlock(std::span<const uint8_t> payload);
  // Nothing was added.
  bool empty() const { return files_.empty(); }

  // Whether an event is of memory that the history is about. Then it is kept
  // here until Join().
  bool Takes(std::string_view place) const {
    return !empty() && place.starts_with("Place(gpu:");
  }
  void Told(const MemoryEvent& event) { told_.push_back(event); }
  // The same of a driver's own allocation.
  void DriverTold(const MemoryEvent& event) { driver_.push_back(event); }

  // Adds everything to the builder. A history that cannot be read is a note.
  void Join(const HistoryTarget& target);

 private:
  struct File {
    std::vector<uint8_t> bytes;
    uint64_t total = 0;
  };

  std::map<uint32_t, File> files_;  // by kind; the last of each
  std::vector<MemoryEvent> told_;
  std::vector<MemoryEvent> driver_;
};

}  // namespace stepscope::capture
