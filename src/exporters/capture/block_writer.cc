// SPDX-License-Identifier: Apache-2.0
#include "exporters/capture/block_writer.h"

#include <cstring>

#include "format/crc32c.h"

namespace stepscope::capture {

void BlockWriter::WriteFileHeader() {
  format::FileHeader header = {};
  std::memcpy(header.magic, format::kFileMagic, sizeof(header.magic));
  header.version = format::kFileVersion;
  header.header_bytes = sizeof(header);
  header.crc = format::Crc32c(&header, offsetof(format::FileHeader, crc));
  Append(&header, sizeof(header));
}

void BlockWriter::Write(format::BlockKind kind, const void* payload,
                        size_t bytes) {
  format::BlockHeader header = {};
  header.magic = format::kBlockMagic;
  header.kind = static_cast<uint16_t>(kind);
  header.version = format::VersionOf(kind);
  header.bytes = bytes;
  header.payload_crc = format::Crc32c(payload, bytes);
  header.seq = seq_++;
  header.header_crc =
      format::Crc32c(&header, offsetof(format::BlockHeader, header_crc));
  Append(&header, sizeof(header));
  Append(payload, bytes);
  constexpr char kZeros[8] = {};
  Append(kZeros, format::PaddedBytes(bytes) - bytes);
}

}  // namespace stepscope::capture
