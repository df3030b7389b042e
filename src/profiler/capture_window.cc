// SPDX-License-Identifier: Apache-2.0
#include "profiler/capture_window.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

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

Status CopyAll(const File& from, const File& to, const std::string& path) {
  std::vector<uint8_t> block(size_t{1} << 18);
  for (uint64_t at = 0;;) {
    STEPSCOPE_TRY_ASSIGN(const size_t got, from.ReadAt(at, block));
    if (got == 0) return Ok();
    STEPSCOPE_TRY(WriteAll(
        to.fd(),
        std::string_view(reinterpret_cast<const char*>(block.data()), got),
        path));
    at += got;
  }
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
  STEPSCOPE_TRY_ASSIGN(const File source, File::OpenForReading(SourceLocked()));
  // A name that nobody can guess: what another user put there is not written
  // to, and no link is followed.
  STEPSCOPE_TRY_ASSIGN(File fresh, CreateBeside(path));
  Status status = CopyAll(source, fresh, path);
  if (const Status closed = fresh.Close(); !closed && status) status = closed;
  if (status && rename(fresh.path().c_str(), path.c_str()) != 0)
    status = FileError(path, errno);
  if (!status) unlink(fresh.path().c_str());
  return status;
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
