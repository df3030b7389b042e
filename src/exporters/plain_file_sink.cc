// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "base/file.h"
#include "exporters/file_sink.h"

namespace stepscope {
namespace {

// Where a symbolic link points, so that the rename replaces its target.
std::string Resolve(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;  // does not exist yet
  std::string result = resolved;
  std::free(resolved);
  return result;
}

class PlainFileSink : public Sink {
 public:
  // An empty `temporary`: written in place.
  PlainFileSink(int fd, std::string path, std::string target,
                std::string temporary)
      : fd_(fd),
        path_(std::move(path)),
        target_(std::move(target)),
        temporary_(std::move(temporary)) {}
  PlainFileSink(const PlainFileSink&) = delete;
  PlainFileSink& operator=(const PlainFileSink&) = delete;

  ~PlainFileSink() override {
    if (fd_ >= 0) close(fd_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }

  Status Write(Block& block) override {
    STEPSCOPE_TRY(WriteAll(fd_, block.view(), path_));
    block.size = 0;
    return Ok();
  }

  // Not synced: the rename protects from a crash of this process, not from a
  // loss of power.
  Status Close() override {
    int fd = fd_;
    fd_ = -1;
    if (close(fd) != 0 && errno != EINTR) return FileError(path_, errno);
    if (temporary_.empty()) return Ok();
    if (rename(temporary_.c_str(), target_.c_str()) != 0)
      return FileError(path_, errno);
    temporary_.clear();
    return Ok();
  }

 private:
  int fd_;
  std::string path_;
  std::string target_;
  std::string temporary_;
};

class BorrowedFileSink : public Sink {
 public:
  BorrowedFileSink(int fd, std::string name)
      : fd_(fd), name_(std::move(name)) {}

  Status Write(Block& block) override {
    STEPSCOPE_TRY(WriteAll(fd_, block.view(), name_));
    block.size = 0;
    return Ok();
  }
  Status Close() override { return Ok(); }

 private:
  int fd_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Sink> MakeOpenFileSink(int fd, const std::string& name) {
  return std::make_unique<BorrowedFileSink>(fd, name);
}

Result<std::unique_ptr<Sink>> OpenPlainFileSink(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  std::string target = Resolve(path);
  std::string temporary;
  struct stat info;
  int flags = O_WRONLY | O_CLOEXEC;
  if (stat(target.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    if (S_ISDIR(info.st_mode)) return FileError(path, EISDIR);
  } else {
    // A name as long as the file system allows leaves no room for a suffix.
    size_t slash = target.rfind('/');
    size_t folder = slash == std::string::npos ? 0 : slash + 1;
    temporary = target.substr(0, folder) + "." +
                target.substr(folder, NAME_MAX - 40) + "." +
                std::to_string(getpid()) + "." + std::to_string(counter++) +
                ".tmp";
    flags |= O_CREAT | O_TRUNC;
  }
  const std::string& opened = temporary.empty() ? target : temporary;
  int fd = open(opened.c_str(), flags, 0666);
  if (fd < 0) return FileError(path, errno);
  return std::unique_ptr<Sink>(
      std::make_unique<PlainFileSink>(fd, path, target, temporary));
}

}  // namespace stepscope
