// SPDX-License-Identifier: Apache-2.0
//
// What went wrong in a profiler: the last error for whoever asks, and on
// standard error one line a reason. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

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
};

class Diagnostics {
 public:
  // Keeps the text and prints it the first time there is such a reason.
  void Report(Reason reason, const std::string& text);
  // Prints only.
  void Warn(Reason reason, const std::string& text);
  // Keeps only.
  void Keep(const std::string& text);

  std::string last_error() const;
  void Clear();

 private:
  mutable std::mutex mutex_;
  uint32_t printed_ = 0;  // mask of reasons
  std::string last_error_;
};

}  // namespace stepscope::profiler
