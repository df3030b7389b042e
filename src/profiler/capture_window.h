// SPDX-License-Identifier: Apache-2.0
//
// One recorded window: its capture file and, while somebody works with it, the
// Trace read from it. After delivery the file has no name any more but can
// still be read, so that a summary asked for later costs no memory until then.
// Thread-safe.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"

namespace stepscope {

class Trace;

namespace profiler {

class TraceTools;

class CaptureWindow {
 public:
  // `index` is which window of its profiler it is, from 0.
  CaptureWindow(std::string path, uint64_t session, int index,
                TraceTools& tools)
      : path_(std::move(path)),
        session_(session),
        index_(index),
        tools_(tools) {}
  ~CaptureWindow();
  CaptureWindow(const CaptureWindow&) = delete;
  CaptureWindow& operator=(const CaptureWindow&) = delete;

  uint64_t session() const { return session_; }
  const std::string& path() const { return path_; }
  int index() const { return index_; }

  // Reads the capture, once until Unload.
  Result<std::shared_ptr<const Trace>> Load();
  void Unload();

  // A copy of the capture that appears whole at `path`.
  Status CopyTo(const std::string& path);

  // The file is to stay where it is: it could not be exported.
  void KeepName() { keeps_name_.store(true); }
  bool keeps_name() const { return keeps_name_.load(); }

  // Takes the file's name away and holds it open. A file that could not be
  // read keeps its name: it may be all there is.
  void Unlink();
  // Removes the file for good.
  void Discard();

 private:
  std::string SourceLocked() const;
  bool HoldsFileLocked() const;
  std::string BeginningLocked() const;
  void CloseLocked();

  const std::string path_;
  const uint64_t session_;
  const int index_;
  TraceTools& tools_;
  std::mutex mutex_;
  int fd_ = -1;            // of the nameless file
  struct stat file_ = {};  // which it is
  std::string beginning_;
  bool unreadable_ = false;
  std::atomic<bool> keeps_name_{false};
  std::shared_ptr<const Trace> trace_;
};

}  // namespace profiler
}  // namespace stepscope
