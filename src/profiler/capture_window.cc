// SPDX-License-Identifier: Apache-2.0
#include "profiler/capture_window.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "profiler/trace_tools.h"

namespace stepscope::profiler {
namespace {

// Programs count on the low numbers: on the next one that open() gives, and on
// closing a range of them.
constexpr int kFirstDescriptor = 500;

Error Lost(const std::string& path) {
  return Fail(ErrorCode::kIo,
              path +
                  ": the program closed the descriptor that held this "
                  "window; ask for keep_capture");
}

}  // namespace

CaptureWindow::~CaptureWindow() { CloseLocked(); }

// A program that closes every descriptor closes ours too, and its next file may
// get the number; and the inode as well, since ours is free then. But no other
// file begins as ours does: with the number of its session. Behind its end the
// recorder may still add how long later steps took.
bool CaptureWindow::HoldsFileLocked() const {
  struct stat now = {};
  return fd_ >= 0 && fstat(fd_, &now) == 0 && now.st_dev == file_.st_dev &&
         now.st_ino == file_.st_ino && BeginningLocked() == beginning_;
}

std::string CaptureWindow::BeginningLocked() const {
  std::string text(64, '\0');  // the header of a capture
  const ssize_t got = pread(fd_, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

void CaptureWindow::CloseLocked() {
  if (HoldsFileLocked()) close(fd_);
  fd_ = -1;
}

std::string CaptureWindow::SourceLocked() const {
  return fd_ >= 0 ? Format("/proc/self/fd/%d", fd_) : path_;
}

Result<std::shared_ptr<const Trace>> CaptureWindow::Load() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (trace_ == nullptr) {
    if (fd_ >= 0 && !HoldsFileLocked()) return Lost(path_);
    auto loaded = tools_.Load(SourceLocked());
    unreadable_ = !loaded;
    if (!loaded) return loaded;
    trace_ = *std::move(loaded);
  }
  return trace_;
}

void CaptureWindow::Unload() {
  std::lock_guard<std::mutex> lock(mutex_);
  trace_.reset();
}

Status CaptureWindow::CopyTo(const std::string& path) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (fd_ >= 0 && !HoldsFileLocked()) return Lost(path_);
  std::string part = Format("%s.%d.part", path.c_str(), getpid());
  std::error_code error;
  std::filesystem::copy_file(SourceLocked(), part,
                             std::filesystem::copy_options::overwrite_existing,
                             error);
  if (!error) std::filesystem::rename(part, path, error);
  if (error) {
    // The C++ library calls a full disk an input/output error.
    std::error_code ignored;
    if (error == std::errc::io_error &&
        std::filesystem::space(part, ignored).available <
            std::filesystem::file_size(SourceLocked(), ignored))
      error = std::make_error_code(std::errc::no_space_on_device);
    std::remove(part.c_str());
    return FileError(path, error.value());
  }
  return Ok();
}

void CaptureWindow::Unlink() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (fd_ >= 0 || unreadable_) return;
  fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0 || fstat(fd_, &file_) != 0) return;
  beginning_ = BeginningLocked();
  const int high = fcntl(fd_, F_DUPFD_CLOEXEC, kFirstDescriptor);
  if (high >= 0) close(std::exchange(fd_, high));
  unlink(path_.c_str());
}

void CaptureWindow::Discard() {
  std::lock_guard<std::mutex> lock(mutex_);
  CloseLocked();
  unlink(path_.c_str());
}

}  // namespace stepscope::profiler
