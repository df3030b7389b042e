// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace stepscope {

Error FileError(const std::string& path, int error_number) {
  const ErrorCode code =
      error_number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  return Fail(code,
              path + ": " + std::generic_category().message(error_number));
}

File::~File() {
  if (fd_ >= 0) close(fd_);
}

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

Result<File> File::OpenForReading(const std::string& path) {
  File file;
  file.path_ = path;
  file.fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file.fd_ < 0) return FileError(path, errno);
  struct stat status = {};
  if (fstat(file.fd_, &status) != 0) return FileError(path, errno);
  if (S_ISDIR(status.st_mode)) return FileError(path, EISDIR);
  return file;
}

Result<File> File::OpenWithoutLinks(const std::string& path) {
  // Part by part, so that what a part is cannot change behind its check.
  File folder = FromDescriptor(
      open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), path);
  size_t at = 0;
  while (folder.is_open()) {
    at = path.find_first_not_of('/', at);
    if (at == path.npos) return FileError(path, EISDIR);
    const size_t end = path.find('/', at);
    const std::string part = path.substr(at, end - at);
    const bool last = end == path.npos;
    // A pipe must not hold it up.
    const int flags = last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY;
    File next = FromDescriptor(
        openat(folder.fd(), part.c_str(), flags | O_NOFOLLOW | O_CLOEXEC),
        path);
    folder = std::move(next);
    at = end;
    if (!last || !folder.is_open()) continue;
    struct stat status = {};
    if (fstat(folder.fd(), &status) != 0) return FileError(path, errno);
    if (!S_ISREG(status.st_mode))
      return Fail(ErrorCode::kNotFound, path + ": not a regular file");
    return folder;
  }
  return FileError(path, errno);
}

File File::FromDescriptor(int fd, std::string path) {
  File file;
  file.fd_ = fd;
  file.path_ = std::move(path);
  return file;
}

Result<uint64_t> File::Size() const {
  struct stat status = {};
  if (fstat(fd_, &status) != 0) return FileError(path_, errno);
  return static_cast<uint64_t>(status.st_size);
}

Result<size_t> File::ReadAt(uint64_t offset, std::span<uint8_t> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = pread(fd_, out.data() + done, out.size() - done,
                            static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(path_, errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

bool FileExists(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0;
}

bool IsDirectory(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Result<std::string> ReadFile(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(const File file, File::OpenForReading(path));
  STEPSCOPE_TRY_ASSIGN(const uint64_t size, file.Size());
  std::string data;
  // The size is a hint: it is 0 for pipes and may change.
  data.resize(static_cast<size_t>(size) + 1);
  size_t done = 0;
  while (true) {
    const ssize_t n =
        read(file.fd(), data.data() + done, data.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(path, errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
    if (done == data.size()) data.resize(data.size() * 2);
  }
  data.resize(done);
  return data;
}

Status WriteAll(int fd, std::string_view data, const std::string& path) {
  while (!data.empty()) {
    const ssize_t n = write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(path, errno);
    data.remove_prefix(static_cast<size_t>(n));
  }
  return Ok();
}

Status ReplaceFile(const std::string& path, std::string_view data) {
  const std::string fresh = path + ".tmp" + std::to_string(getpid());
  const int fd =
      open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return FileError(fresh, errno);
  Status status = WriteAll(fd, data, fresh);
  if (close(fd) != 0 && status) status = FileError(fresh, errno);
  if (status && rename(fresh.c_str(), path.c_str()) != 0)
    status = FileError(path, errno);
  if (!status) unlink(fresh.c_str());
  return status;
}

}  // namespace stepscope
