// SPDX-License-Identifier: Apache-2.0
#include "profiler/diagnostics.h"

#include <cstdio>

namespace stepscope::profiler {

void Diagnostics::Report(Reason reason, const std::string& text) {
  Keep(text);
  Warn(reason, text);
}

void Diagnostics::Warn(Reason reason, const std::string& text) {
  uint32_t bit = 1u << static_cast<uint32_t>(reason);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if ((printed_ & bit) != 0) return;
    printed_ |= bit;
  }
  std::string line = "stepscope: " + text;
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Diagnostics::Keep(const std::string& text) {
  std::lock_guard<std::mutex> lock(mutex_);
  last_error_ = text;
}

std::string Diagnostics::last_error() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return last_error_;
}

void Diagnostics::Clear() {
  std::lock_guard<std::mutex> lock(mutex_);
  last_error_.clear();
}

}  // namespace stepscope::profiler
