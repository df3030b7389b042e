// SPDX-License-Identifier: Apache-2.0
//
// InputFile: the plain bytes of a trace file, whether it is plain, gzip or
// zstd; told by the first bytes, never by the name. Reads by position and
// does not map: a file that shrinks while it is read is a short read, not a
// signal. Not thread-safe; one thread at a time.
//
//   STEPSCOPE_TRY_ASSIGN(auto input, InputFile::Open(path));
//   while (true) {
//     STEPSCOPE_TRY_ASSIGN(const size_t got, input->Read(buffer));
//     if (got == 0) break;
//   }
//   if (!input->damage().empty()) ...  // the readable part has been read
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/file.h"
#include "base/result.h"

namespace stepscope {

enum class Compression : uint8_t { kNone, kGzip, kZstd };

// What a small file may become before it is refused as a bomb. Plain files
// have no limit.
struct InputLimits {
  uint64_t max_bytes = uint64_t{256} << 30;      // decompressed, streamed
  uint64_t max_whole_bytes = uint64_t{16} << 30; // the same, held in memory
  // Decompressed by compressed bytes, looked at after the first `ratio_from`
  // bytes. Real traces reach 30, wholly regular ones some 150; deflate ends
  // at 1032.
  uint64_t max_ratio = 400;
  uint64_t ratio_from = uint64_t{64} << 20;
};

class Decoder;

class InputFile {
 public:
  static Result<std::unique_ptr<InputFile>> Open(const std::string& path,
                                                 InputLimits limits = {});
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // The first `size` plain bytes, or all of a shorter file. Read() still
  // begins at the first byte.
  Result<std::span<const uint8_t>> Head(size_t size);

  // Fills `out` with what comes next. Fewer bytes than asked for, down to 0,
  // only at the end of what can be read. Fails on I/O errors and on bombs.
  Result<size_t> Read(std::span<uint8_t> out);

  // All plain bytes, owned by this object. REQUIRES: no Read() before.
  Result<std::span<const uint8_t>> WholeBytes();

  const std::string& path() const { return file_.path(); }
  Compression compression() const { return compression_; }
  // Plain bytes handed out by Read().
  uint64_t offset() const { return offset_; }
  // Bytes of the file itself: taken so far, and in all when it was opened.
  uint64_t source_offset() const { return source_offset_; }
  uint64_t source_size() const { return source_size_; }
  // One line, without the path, if the compressed data ended early or were
  // damaged: what was read is what could be. Empty otherwise.
  const std::string& damage() const { return damage_; }

 private:
  InputFile(File file, InputLimits limits);
  Status Begin();
  Result<size_t> ReadPlain(std::span<uint8_t> out);
  Result<size_t> ReadDecoded(std::span<uint8_t> out);
  Result<bool> FillSource();
  Status CheckLimits(uint64_t produced) const;
  uint64_t SizeHint() const;

  File file_;
  InputLimits limits_;
  Compression compression_ = Compression::kNone;
  std::unique_ptr<Decoder> decoder_;
  std::vector<uint8_t> source_;  // compressed bytes not yet decoded
  size_t source_first_ = 0;
  size_t source_last_ = 0;
  std::vector<uint8_t> head_;    // plain bytes not yet handed out
  size_t head_first_ = 0;
  Column<uint8_t> whole_;
  uint64_t read_offset_ = 0;     // next byte of the file to read
  uint64_t source_offset_ = 0;
  uint64_t source_size_ = 0;
  uint64_t decoded_ = 0;
  uint64_t offset_ = 0;
  bool ended_ = false;
  std::string damage_;
};

}  // namespace stepscope
