// SPDX-License-Identifier: Apache-2.0
//
// One large block that formatters write into with raw pointers; full blocks go
// to a sink. After an error of the sink everything is swallowed, and Finish()
// returns that error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "base/result.h"
#include "exporters/sink.h"

namespace stepscope {

class OutBuffer {
 public:
  // What a formatter may write beyond the bytes that it reserved.
  static constexpr size_t kSlack = 32;
  // A file system takes few large writes faster than many small ones: of half
  // the size they cost a tenth more. Twice the size no longer stays in a
  // second-level cache until the kernel copies it.
  static constexpr size_t kBlockBytes = size_t{1} << 20;

  explicit OutBuffer(Sink& sink, size_t block_bytes = kBlockBytes)
      : sink_(sink), block_(block_bytes) {}

  // Room for `bytes` and the slack. Write there, then call Commit with the end
  // of what was written.
  char* Reserve(size_t bytes) {
    if (block_.capacity - block_.size < bytes + kSlack) [[unlikely]]
      MakeRoom(bytes + kSlack);
    return block_.data.get() + block_.size;
  }
  void Commit(const char* end) {
    block_.size = static_cast<size_t>(end - block_.data.get());
  }

  void Append(std::string_view text) {
    char* p = Reserve(text.size());
    if (!text.empty()) std::memcpy(p, text.data(), text.size());
    Commit(p + text.size());
  }

  // Takes back the last bytes. REQUIRES: the last Reserve was for at least
  // that many, so that they have not left the block.
  void RemoveSuffix(size_t bytes) { block_.size -= bytes; }

  bool failed() const { return !status_; }

  // Hands over what is left. The sink is the caller's to close.
  Status Finish() {
    Flush();
    return status_;
  }

 private:
  void Flush() {
    if (status_ && block_.size > 0) status_ = sink_.Write(block_);
    block_.size = 0;
  }
  [[gnu::noinline]] void MakeRoom(size_t bytes) {
    Flush();
    if (block_.capacity < bytes) block_ = Block(bytes);
  }

  Sink& sink_;
  Block block_;
  Status status_ = Ok();
};

}  // namespace stepscope
