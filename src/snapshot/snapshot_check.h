// SPDX-License-Identifier: Apache-2.0
//
// Whether every id in the tables of a snapshot is one that exists. Hashes find
// damage; this finds what should never have been written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "snapshot/snapshot_facts.h"
#include "snapshot/snapshot_file.h"

namespace stepscope {

// How many there are of what ids count.
struct SnapshotLimits {
  uint64_t rows = 0;
  uint64_t strings = 0;
  uint64_t tracks = 0;
  uint64_t processes = 0;
  uint64_t arg_ints = 0;
  uint64_t raw_blocks = 0;
};

// Nothing: columns that must be of one length are not.
std::optional<SnapshotLimits> ReadLimits(const SnapshotFile& file);
// Some elements of one table.
bool CheckPiece(const SnapshotLimits& limits, uint32_t kind, uint64_t first,
                std::span<const std::byte> piece);
bool CheckFacts(const SnapshotLimits& limits, const TraceFacts& facts);

}  // namespace stepscope
