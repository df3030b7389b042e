// SPDX-License-Identifier: Apache-2.0
//
// InputSource: where a trace comes from: a file, a pipe or bytes in memory.
// Gives its plain bytes, whether it is plain, gzip or zstd, which is detected
// from the first bytes, never from the name. Files are read by position and
// not mapped: one that shrinks while it is read is a short read, not a signal.
// Not thread-safe; one thread at a time.
//
//   STEPSCOPE_TRY_ASSIGN(auto input, InputSource::Open(path));
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

#include "base/cancel.h"
#include "base/column.h"
#include "base/compression.h"
#include "base/file.h"
#include "base/result.h"

namespace stepscope {

// What a small file may become before it is refused as a bomb. Plain files
// have no limit.
struct InputLimits {
  uint64_t max_bytes = uint64_t{256} << 30;       // decompressed, streamed
  uint64_t max_whole_bytes = uint64_t{16} << 30;  // the same, held in memory
  // Decompressed by compressed bytes, looked at after the first `ratio_from`
  // bytes. Real traces reach 30, wholly regular ones some 150; deflate ends
  // at 1032.
  uint64_t max_ratio = 400;
  uint64_t ratio_from = uint64_t{64} << 20;
};

class Decoder;

// Whether `path` means standard input, which can be read only once.
bool IsStandardInput(const std::string& path);
// What messages call it: "standard input" for "-".
std::string ShownPath(const std::string& path);

class InputSource {
 public:
  // A file, a named pipe, a descriptor as in /dev/fd/3, or "-": standard
  // input.
  static Result<std::unique_ptr<InputSource>> Open(const std::string& path,
                                                   InputLimits limits = {});
  // A regular file only: for names that were found, not given.
  static Result<std::unique_ptr<InputSource>> OpenFound(
      const std::string& path, InputLimits limits = {});
  // Only a regular file to which no symbolic link leads. REQUIRES: `path` is
  // absolute.
  static Result<std::unique_ptr<InputSource>> OpenConfined(
      const std::string& path, InputLimits limits = {});
  // Bytes that stay where they are; `name` is what messages call them.
  static Result<std::unique_ptr<InputSource>> FromBytes(
      std::span<const uint8_t> bytes, std::string name,
      InputLimits limits = {});
  ~InputSource();
  InputSource(const InputSource&) = delete;
  InputSource& operator=(const InputSource&) = delete;

  // Read() fails with kCancelled once it is.
  void set_cancel(const CancelToken* cancel) { cancel_ = cancel; }

  // The first `size` plain bytes, or all of a shorter file. Read() still
  // begins at the first byte: a pipe loses nothing by it.
  Result<std::span<const uint8_t>> Head(size_t size);

  // Fills `out` with what comes next. Fewer bytes than asked for, down to 0,
  // only at the end of what can be read. Fails on I/O errors and on bombs.
  Result<size_t> Read(std::span<uint8_t> out);

  // All plain bytes, owned by this object or by who gave them. REQUIRES: no
  // Read() before.
  Result<std::span<const uint8_t>> WholeBytes();

  // For who reads by position. REQUIRES: no Read() before. The file itself if
  // it is a plain one, else a temporary copy.
  Result<File> PlainFile();
  // Whether the plain bytes are a file that others can open by path().
  bool is_path() const { return has_positions() && named_; }

  // Whether it is a file that the user gave by its name.
  bool is_named_file() const { return named_ && !is_pipe(); }
  // Whether it can be read only once.
  bool is_pipe() const { return kind_ == Kind::kPipe; }

  // What messages call it; where it can be opened if it is a file.
  const std::string& path() const { return path_; }
  Compression compression() const { return compression_; }
  // Plain bytes handed out by Read().
  uint64_t offset() const { return offset_; }
  // Bytes of the source itself: taken so far, and in all when it was opened;
  // 0 if that is not known, as of a pipe.
  uint64_t source_offset() const { return source_offset_; }
  uint64_t source_size() const { return source_size_; }
  // One line, without the path, if the compressed data ended early or were
  // damaged: what was read is what could be. Empty otherwise.
  const std::string& damage() const { return damage_; }

 private:
  enum class Kind : uint8_t { kFile, kPipe, kMemory };

  InputSource(Kind kind, std::string path, InputLimits limits);
  static Result<std::unique_ptr<InputSource>> OfFile(File file, bool named,
                                                     InputLimits limits);
  Status Begin();
  bool has_positions() const {
    return kind_ == Kind::kFile && compression_ == Compression::kNone;
  }
  Result<size_t> ReadSource(std::span<uint8_t> out);
  Error Cancelled() const;
  Result<size_t> ReadPipe(std::span<uint8_t> out) const;
  Result<size_t> ReadPlain(std::span<uint8_t> out);
  Result<size_t> ReadDecoded(std::span<uint8_t> out);
  Result<bool> FillSource();
  Status CheckLimits(uint64_t produced) const;
  uint64_t SizeHint() const;

  const Kind kind_;
  const std::string path_;
  bool named_ = false;  // path_ leads to it
  InputLimits limits_;
  const CancelToken* cancel_ = nullptr;
  File file_;                       // or pipe
  std::span<const uint8_t> bytes_;  // of kMemory
  uint8_t magic_[4] = {};           // the first bytes, read to look at them
  size_t magic_size_ = 0;
  Compression compression_ = Compression::kNone;
  std::unique_ptr<Decoder> decoder_;
  std::vector<uint8_t> source_;  // compressed bytes not yet decoded
  size_t source_first_ = 0;
  size_t source_last_ = 0;
  std::vector<uint8_t> head_;  // plain bytes not yet handed out
  size_t head_first_ = 0;
  Column<uint8_t> whole_;
  uint64_t read_offset_ = 0;  // next byte of the source to read
  uint64_t source_offset_ = 0;
  uint64_t source_size_ = 0;
  uint64_t decoded_ = 0;
  uint64_t offset_ = 0;
  bool ended_ = false;
  std::string damage_;
};

}  // namespace stepscope
