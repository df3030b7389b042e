// SPDX-License-Identifier: Apache-2.0
//
// Files by position (pread), never by mapping: a file that shrinks while it is
// read is a short read, not a signal. Failures carry the path and the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace stepscope {

// An open file; closed with the object. Reading is thread-safe.
class File {
 public:
  File() = default;
  ~File();
  File(File&& other) noexcept { *this = std::move(other); }
  File& operator=(File&& other) noexcept;

  static Result<File> OpenForReading(const std::string& path);
  // The same of a regular file to which no symbolic link leads, at whatever
  // part of `path`, at the moment of opening. REQUIRES: `path` is absolute.
  static Result<File> OpenWithoutLinks(const std::string& path);
  // Takes an open descriptor over. `path` is what messages call it.
  static File FromDescriptor(int fd, std::string path);

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  const std::string& path() const { return path_; }

  // Size now; the file may change.
  Result<uint64_t> Size() const;
  // Fills `out` from `offset` on. Returns the bytes read: fewer than asked
  // for only at the end of the file.
  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const;

 private:
  int fd_ = -1;
  std::string path_;
};

bool FileExists(const std::string& path);
bool IsDirectory(const std::string& path);

// The whole of a file; pipes and special files too.
Result<std::string> ReadFile(const std::string& path);

// All of `data` into an open descriptor. `path` is for the message.
Status WriteAll(int fd, std::string_view data, const std::string& path);

// Replaces `path` at one instant: readers see the old file or the whole new
// one, and a failure leaves the old one.
Status ReplaceFile(const std::string& path, std::string_view data);

// "<path>: <reason of errno>"
Error FileError(const std::string& path, int error_number);

}  // namespace stepscope
