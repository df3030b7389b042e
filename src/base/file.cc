// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace stepscope {
namespace {

Error NotRegular(const std::string& path) {
  return Fail(ErrorCode::kNotFound, path + ": not a regular file");
}

Result<std::string> ReadWhole(const File& file) {
  STEPSCOPE_TRY_ASSIGN(const uint64_t size, file.Size());
  std::string data;
  // The size is a hint: it is 0 for pipes and may change.
  data.resize(static_cast<size_t>(size) + 1);
  size_t done = 0;
  while (true) {
    const ssize_t n = read(file.fd(), data.data() + done, data.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(file.path(), errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
    if (done == data.size()) data.resize(data.size() * 2);
  }
  data.resize(done);
  return data;
}

}  // namespace

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

Result<File> File::OpenRegular(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return FileError(path, errno);
  // To open a device may already do something.
  if (!S_ISREG(status.st_mode)) return NotRegular(path);
  // It may be a pipe by now.
  File file = FromDescriptor(
      open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), path);
  if (!file.is_open() || fstat(file.fd(), &status) != 0)
    return FileError(path, errno);
  if (!S_ISREG(status.st_mode)) return NotRegular(path);
  return file;
}

Result<File> File::OpenRegularAt(int folder, const std::string& name,
                                 const std::string& path, int flags,
                                 mode_t mode) {
  File file = FromDescriptor(
      openat(folder, name.c_str(),
             flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode),
      path);
  // A link, or a pipe that nobody reads.
  if (!file.is_open() && (errno == ELOOP || errno == ENXIO))
    return NotRegular(path);
  struct stat status = {};
  if (!file.is_open() || fstat(file.fd(), &status) != 0)
    return FileError(path, errno);
  if (!S_ISREG(status.st_mode)) return NotRegular(path);
  return file;
}

Result<File> File::OpenWithoutLinks(const std::string& path) {
  // Part by part, so that what a part is cannot change behind its check.
  File folder =
      FromDescriptor(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), path);
  size_t at = 0;
  while (folder.is_open()) {
    at = path.find_first_not_of('/', at);
    if (at == path.npos) return FileError(path, EISDIR);
    const size_t end = path.find('/', at);
    const std::string part = path.substr(at, end - at);
    if (end == path.npos)
      return OpenRegularAt(folder.fd(), part, path, O_RDONLY);
    File next =
        FromDescriptor(openat(folder.fd(), part.c_str(),
                              O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                       path);
    folder = std::move(next);
    at = end;
  }
  return FileError(path, errno);
}

File File::FromDescriptor(int fd, std::string path) {
  File file;
  file.fd_ = fd;
  file.path_ = std::move(path);
  return file;
}

Status File::Close() {
  const int fd = std::exchange(fd_, -1);
  // After EINTR it is closed all the same.
  if (fd >= 0 && close(fd) != 0 && errno != EINTR)
    return FileError(path_, errno);
  return Ok();
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

bool IsOurs(const std::string& path) {
  const auto ours = [](const std::string& one) {
    struct stat status = {};
    return stat(one.c_str(), &status) == 0 &&
           (status.st_uid == geteuid() || status.st_uid == 0) &&
           (status.st_mode & S_IWOTH) == 0;
  };
  return ours(path.substr(0, path.rfind('/') + 1) + ".") && ours(path);
}

bool IsDirectory(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Result<std::string> ReadFile(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(const File file, File::OpenForReading(path));
  return ReadWhole(file);
}

Result<std::string> ReadRegularFile(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(const File file, File::OpenRegular(path));
  return ReadWhole(file);
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

Result<std::string> NameBeside(const std::string& path) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof(number), 0) != sizeof(number))
    return FileError(path, errno);
  char suffix[32];
  std::snprintf(suffix, sizeof(suffix), ".%016llx.tmp",
                static_cast<unsigned long long>(number));
  // A name as long as the file system allows leaves no room for a suffix.
  const size_t name = path.rfind('/') + 1;
  return path.substr(0, name) + "." +
         path.substr(name, NAME_MAX - sizeof(suffix)) + suffix;
}

Result<File> CreateBeside(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(const std::string fresh, NameBeside(path));
  const int fd =
      open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
           0666);
  if (fd < 0) return FileError(path, errno);
  return File::FromDescriptor(fd, fresh);
}

Status ReplaceFile(const std::string& path, std::string_view data) {
  STEPSCOPE_TRY_ASSIGN(File fresh, CreateBeside(path));
  Status status = WriteAll(fresh.fd(), data, path);
  if (const Status closed = fresh.Close(); !closed && status) status = closed;
  if (status && rename(fresh.path().c_str(), path.c_str()) != 0)
    status = FileError(path, errno);
  if (!status) unlink(fresh.path().c_str());
  return status;
}

}  // namespace stepscope
