// SPDX-License-Identifier: Apache-2.0
//
// What went wrong in a profiler: the last error for whoever asks, and on
// standard error one line per reason. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace stepscope::profiler {

enum class Reason : uint32_t {
  kTargets,
  kReadyUnused,
  kCutShort,
  kScheduler,
  kNotRecording,  // a window could not be started
  kDelivery,      // its capture could not be completed or read
  kCallback,
  kExport,
  kTimeout,
  kMemory,
  kWriting,     // a capture cannot be written
  kIncomplete,  // so a window lacks events
};

class Diagnostics {
 public:
  // `warn` gets the lines instead of standard error.
  explicit Diagnostics(std::function<void(std::string_view)> warn = nullptr)
      : warn_(std::move(warn)) {}

  // Keeps the text and prints it the first time there is such a reason.
  void Report(Reason reason, const std::string& text);
  // Prints only.
  void Warn(Reason reason, const std::string& text);
  // Keeps only.
  void Keep(const std::string& text);
  // Reports that memory ran out. `what` was not done; `path`, if not null, is
  // the file that it was about.
  void ReportNoMemory(const char* what, const char* path) noexcept;

  std::string last_error() const;
  void Clear();

 private:
  const std::function<void(std::string_view)> warn_;
  mutable std::mutex mutex_;
  uint32_t printed_ = 0;  // mask of reasons
  std::string last_error_;
};

}  // namespace stepscope::profiler
