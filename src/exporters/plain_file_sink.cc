// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

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
  // `beside`: the file takes the place of `target` when it is whole.
  PlainFileSink(File file, std::string path, std::string target, bool beside)
      : file_(std::move(file)),
        path_(std::move(path)),
        target_(std::move(target)),
        beside_(beside) {}
  PlainFileSink(const PlainFileSink&) = delete;
  PlainFileSink& operator=(const PlainFileSink&) = delete;

  ~PlainFileSink() override {
    if (beside_) unlink(file_.path().c_str());
  }

  Status Write(Block& block) override {
    STEPSCOPE_TRY(WriteAll(file_.fd(), block.view(), path_));
    block.size = 0;
    return Ok();
  }

  // Not synced: the rename protects from a crash of this process, not from a
  // loss of power.
  Status Close() override {
    if (!file_.Close()) return FileError(path_, errno);
    if (!beside_) return Ok();
    if (rename(file_.path().c_str(), target_.c_str()) != 0)
      return FileError(path_, errno);
    beside_ = false;
    return Ok();
  }

 private:
  File file_;
  std::string path_;
  std::string target_;
  bool beside_;
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
  std::string target = Resolve(path);
  struct stat info;
  if (stat(target.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    if (S_ISDIR(info.st_mode)) return FileError(path, EISDIR);
    const int fd = open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return FileError(path, errno);
    return std::unique_ptr<Sink>(std::make_unique<PlainFileSink>(
        File::FromDescriptor(fd, path), path, target, false));
  }
  Result<File> fresh = CreateBeside(target);
  if (!fresh) return fresh.error();
  return std::unique_ptr<Sink>(
      std::make_unique<PlainFileSink>(*std::move(fresh), path, target, true));
}

}  // namespace stepscope
