// SPDX-License-Identifier: Apache-2.0
//
// Appends blocks to a capture file with write(2). A write that fails part-way
// is cut off again, so that the file always ends with a whole block. Some space
// behind the end is kept for the last blocks, so that a full disk cannot keep a
// file from saying what it lost. Not thread-safe; for threads that have left
// the program's descriptors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collector/own_file.h"
#include "format/block.h"

namespace stepscope::collector {

enum class AppendResult { kOk, kIoError, kFileLimit };

class CaptureFile {
 public:
  // Creates the file (it must not exist) and writes its header. False with the
  // last error set.
  bool Create(const char* path, uint32_t generation, const uint8_t ring_id[16]);
  // Opens a complete file of `size` bytes to go on at byte `at`, with the block
  // `next_seq`; what is behind is cut off. False: it is not there, or not of
  // that size.
  bool Reopen(const char* path, uint64_t at, uint64_t size, uint32_t next_seq);
  // Goes on in the file that `other` has written so far.
  void TakeOver(CaptureFile* other);
  void Close();
  void ForgetAfterFork() { file_.ForgetAfterFork(); }
  // Reads `count` bytes at `offset` of a file made by Create(), wherever it is
  // by now: its folder may be gone. False with errno set.
  bool Read(uint64_t offset, void* out, uint64_t count) const;
  bool is_open() const { return file_.is_open(); }
  // Readable by any thread.
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  uint32_t next_seq() const { return next_seq_; }
  void set_limit(uint64_t max_bytes) { limit_ = max_bytes; }
  // errno of the first write that failed; 0: none did.
  int write_error() const { return write_error_; }

  // What is written from now on may take the space kept for the last blocks.
  void UseSpare() { closing_ = true; }

  // Lays a block header over `block` (32 bytes of room first, then `payload`
  // bytes), numbered as the next one of this file; returns the padded length.
  // The padding bytes must exist in the buffer.
  uint64_t Seal(uint8_t* block, uint64_t payload, format::BlockKind kind);

  // Writes sealed blocks. `essential` ones (threads, clock, end) pass the file
  // limit. On failure the file is as before and the numbers are free again.
  AppendResult Append(const uint8_t* blocks, uint64_t bytes, uint32_t count,
                      bool essential);

  // For small blocks: seals and writes one. `payload` <= 4096 bytes.
  AppendResult AppendSmall(format::BlockKind kind, const void* payload,
                           size_t bytes);
  // A Process block with one key; both at most 1000 bytes together. May take
  // the space kept for the last blocks.
  AppendResult AppendFact(const char* key, const char* value);

 private:
  enum class Spare : uint8_t { kUnknown, kReserved, kRefused };

  // Reserves `bytes` and the space for the last blocks behind the end. False
  // with errno set: there is no room. Where the file system cannot reserve,
  // room is a matter of luck.
  bool KeepSpare(uint64_t bytes);

  OwnFile file_;
  std::atomic<uint64_t> bytes_{0};
  uint64_t limit_ = 0;  // 0: none
  uint32_t next_seq_ = 0;
  int write_error_ = 0;
  bool failed_before_ = false;
  bool closing_ = false;
  Spare spare_ = Spare::kUnknown;
};

}  // namespace stepscope::collector
