// SPDX-License-Identifier: Apache-2.0
//
// BlockWriter: the outer layout of a capture file, block after block into a
// buffer. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "exporters/out_buffer.h"
#include "format/block.h"

namespace stepscope::capture {

class BlockWriter {
 public:
  explicit BlockWriter(OutBuffer& out) : out_(out) {}

  // First, and once. The file belongs to no ring: nothing is looked for
  // beside it.
  void WriteFileHeader();
  void Write(format::BlockKind kind, const void* payload, size_t bytes);
  bool failed() const { return out_.failed(); }
  Status Finish() { return out_.Finish(); }

 private:
  void Append(const void* data, size_t bytes) {
    out_.Append({static_cast<const char*>(data), bytes});
  }

  OutBuffer& out_;
  uint32_t seq_ = 0;
};

}  // namespace stepscope::capture
