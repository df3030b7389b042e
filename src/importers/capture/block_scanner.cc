// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/block_scanner.h"

#include <algorithm>
#include <cstring>

#include "format/crc32c.h"

namespace stepscope::capture {
namespace {

using format::BlockHeader;
using format::FileHeader;

// The next header is near more often than not.
constexpr size_t kFirstWindow = size_t{4} << 10;
constexpr size_t kLastWindow = size_t{256} << 10;

bool IsHeader(const uint8_t* p, BlockHeader* header) {
  uint32_t magic;
  std::memcpy(&magic, p, sizeof(magic));
  if (magic != format::kBlockMagic) return false;
  std::memcpy(header, p, sizeof(*header));
  return header->header_crc ==
         format::Crc32c(p, offsetof(BlockHeader, header_crc));
}

// The first header at or after `from` (a multiple of 8), or `size`.
Result<uint64_t> FindHeader(const File& file, uint64_t from, uint64_t size,
                            std::vector<uint8_t>& window) {
  window.resize(kLastWindow);
  size_t ask = kFirstWindow;
  while (from + sizeof(BlockHeader) <= size) {
    STEPSCOPE_TRY_ASSIGN(const size_t got,
                         file.ReadAt(from, {window.data(), ask}));
    ask = std::min(ask * 2, kLastWindow);
    if (got < sizeof(BlockHeader)) break;
    const size_t last = got - sizeof(BlockHeader);
    for (size_t at = 0; at <= last; at += 8) {
      BlockHeader header;
      if (IsHeader(window.data() + at, &header)) return from + at;
    }
    from += last / 8 * 8 + 8;
  }
  return size;
}

Result<std::optional<FileHeader>> ReadFileHeader(const File& file) {
  FileHeader header;
  uint8_t bytes[sizeof(header)];
  STEPSCOPE_TRY_ASSIGN(const size_t got, file.ReadAt(0, bytes));
  if (got < sizeof(header)) return std::optional<FileHeader>();
  std::memcpy(&header, bytes, sizeof(header));
  if (std::memcmp(header.magic, format::kFileMagic, sizeof(header.magic)) !=
          0 ||
      header.crc != format::Crc32c(bytes, offsetof(FileHeader, crc)))
    return std::optional<FileHeader>();
  return std::optional<FileHeader>(header);
}

}  // namespace

Result<BlockList> ScanBlocks(const File& file) {
  BlockList list;
  STEPSCOPE_TRY_ASSIGN(const uint64_t size, file.Size());
  STEPSCOPE_TRY_ASSIGN(list.header, ReadFileHeader(file));
  std::vector<uint8_t> window;
  uint64_t at = sizeof(FileHeader);
  while (at < size) {
    Block block;
    block.offset = at;
    uint8_t bytes[sizeof(BlockHeader) + sizeof(block.head)];
    STEPSCOPE_TRY_ASSIGN(const size_t got, file.ReadAt(at, bytes));
    if (got < sizeof(BlockHeader) || !IsHeader(bytes, &block.header)) {
      STEPSCOPE_TRY_ASSIGN(const uint64_t found,
                           FindHeader(file, at + 8, size, window));
      const uint64_t next = std::min(found, size);
      if (list.skipped_bytes == 0) list.first_skipped = at;
      list.skipped_bytes += next - at;
      at = next;
      continue;
    }
    block.head_bytes = static_cast<uint32_t>(got - sizeof(BlockHeader));
    std::memcpy(block.head, bytes + sizeof(BlockHeader), block.head_bytes);
    // The file may have grown since.
    const uint64_t room =
        size - std::min<uint64_t>(size, block.payload_offset());
    block.torn = block.header.bytes > room;
    list.blocks.push_back(block);
    // Of a torn block the length means nothing: look on behind its header.
    at = block.payload_offset() +
         (block.torn ? 0 : format::PaddedBytes(block.header.bytes));
    if (block.torn) {
      STEPSCOPE_TRY_ASSIGN(at, FindHeader(file, at, size, window));
    }
  }
  return list;
}

Result<bool> ReadPayload(const File& file, const Block& block,
                         std::vector<uint8_t>& buffer) {
  if (block.torn) return false;
  const auto bytes = static_cast<size_t>(block.header.bytes);
  if (buffer.size() < bytes) buffer.resize(bytes);
  STEPSCOPE_TRY_ASSIGN(const size_t got, file.ReadAt(block.payload_offset(),
                                                     {buffer.data(), bytes}));
  return got == bytes &&
         format::Crc32c(buffer.data(), bytes) == block.header.payload_crc;
}

}  // namespace stepscope::capture
