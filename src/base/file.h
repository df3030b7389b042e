// SPDX-License-Identifier: Apache-2.0
//
// Files by position (pread), never by mapping: a file that shrinks while it is
// read is a short read, not a signal. Failures carry the path and the reason.
#pragma once

#include <sys/types.h>

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
  // For a name that no person gave, such as one found in a folder: opens a
  // regular file only, so that no pipe and no device holds it up.
  static Result<File> OpenRegular(const std::string& path);
  // The same, and `name` itself is not a symbolic link. `folder` is open, or
  // AT_FDCWD; `flags` go to openat(); `path` is what messages call it.
  static Result<File> OpenRegularAt(int folder, const std::string& name,
                                    const std::string& path, int flags,
                                    mode_t mode = 0);
  // The same for reading, with no symbolic link at any part of `path` at the
  // moment of opening. REQUIRES: `path` is absolute.
  static Result<File> OpenWithoutLinks(const std::string& path);
  // Takes an open descriptor over. `path` is what messages call it.
  static File FromDescriptor(int fd, std::string path);

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  const std::string& path() const { return path_; }

  // Says what the destructor would not: a disk may refuse only now what was
  // written to it.
  Status Close();

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
// Whether only this user and root can have put `path` where it is, which is to
// be asked before it is loaded as code. A matter of the owner and the rights of
// the file and its folder.
bool IsOurs(const std::string& path);
bool IsDirectory(const std::string& path);

// The whole of a file; pipes and special files too.
Result<std::string> ReadFile(const std::string& path);
// The whole of a regular file: see File::OpenRegular().
Result<std::string> ReadRegularFile(const std::string& path);

// All of `data` into an open descriptor. `path` is for the message.
Status WriteAll(int fd, std::string_view data, const std::string& path);

// A name in the folder of `path` that nobody can guess and prepare, for a file
// to be renamed to `path` when it is whole.
Result<std::string> NameBeside(const std::string& path);
// A new file of such a name, the path() of the result.
Result<File> CreateBeside(const std::string& path);

// Replaces `path` at one instant: readers see the old file or the whole new
// one, and a failure leaves the old one.
Status ReplaceFile(const std::string& path, std::string_view data);

// "<path>: <reason of errno>"
Error FileError(const std::string& path, int error_number);

}  // namespace stepscope
