// SPDX-License-Identifier: Apache-2.0
//
// Finds the blocks of a capture file from their headers alone. After damage it
// looks for the next header: block magic and header CRC at a multiple of 8.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "format/block.h"

namespace stepscope::capture {

struct Block {
  uint64_t offset = 0;  // of the header in the file
  format::BlockHeader header = {};
  bool torn = false;  // the file ends inside the payload
  // The first bytes behind the header, read along with it: whoever asks only
  // what a block is about need not read again. Payload as far as there is any.
  uint8_t head[48] = {};
  uint32_t head_bytes = 0;

  uint64_t payload_offset() const {
    return offset + sizeof(format::BlockHeader);
  }
  // The T that the payload begins with; false if it is too short. Not checked
  // against the CRC.
  template <typename T>
  bool ReadHead(T* value) const {
    static_assert(sizeof(T) <= sizeof(head));
    if (head_bytes < sizeof(T) || header.bytes < sizeof(T)) return false;
    std::memcpy(value, head, sizeof(T));
    return true;
  }
};

struct BlockList {
  std::optional<format::FileHeader> header;  // if it is whole
  std::vector<Block> blocks;                 // in file order
  uint64_t skipped_bytes = 0;                // that belong to no block
  uint64_t first_skipped = 0;                // where, if any
};

Result<BlockList> ScanBlocks(const File& file);

// Reads a payload into `buffer` (which is reused, never shrunk) and checks its
// CRC. False: torn or damaged.
Result<bool> ReadPayload(const File& file, const Block& block,
                         std::vector<uint8_t>& buffer);

}  // namespace stepscope::capture
