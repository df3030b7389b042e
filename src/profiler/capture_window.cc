// SPDX-License-Identifier: Apache-2.0
#include "profiler/capture_window.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "profiler/trace_tools.h"

namespace stepscope::profiler {

CaptureWindow::~CaptureWindow() {
  if (fd_ >= 0) close(fd_);
}

std::string CaptureWindow::SourceLocked() const {
  return fd_ >= 0 ? Format("/proc/self/fd/%d", fd_) : path_;
}

Result<std::shared_ptr<const Trace>> CaptureWindow::Load() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (trace_ == nullptr) {
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
  std::string part = Format("%s.%d.part", path.c_str(), getpid());
  std::error_code error;
  std::filesystem::copy_file(SourceLocked(), part,
                             std::filesystem::copy_options::overwrite_existing,
                             error);
  if (!error) std::filesystem::rename(part, path, error);
  if (error) {
    std::remove(part.c_str());
    return FileError(path, error.value());
  }
  return Ok();
}

void CaptureWindow::Unlink() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (fd_ >= 0 || unreadable_) return;
  fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ >= 0) unlink(path_.c_str());
}

void CaptureWindow::Discard() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  unlink(path_.c_str());
}

}  // namespace stepscope::profiler
