// SPDX-License-Identifier: Apache-2.0
#include "profiler/diagnostics.h"

#include <cstdio>
#include <new>

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
  std::string line = text;
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  if (warn_) {
    warn_(line);
    return;
  }
  line = "stepscope: " + line + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Diagnostics::Keep(const std::string& text) {
  std::lock_guard<std::mutex> lock(mutex_);
  last_error_ = text;
}

void Diagnostics::ReportNoMemory(const char* what, const char* path) noexcept {
  // Formed without allocating: the line must come out even if keeping it fails.
  char text[1024];
  std::snprintf(text, sizeof(text), "%s%s%s: not enough memory",
                path != nullptr ? path : "", path != nullptr ? ": " : "", what);
  const uint32_t bit = 1u << static_cast<uint32_t>(Reason::kMemory);
  std::lock_guard<std::mutex> lock(mutex_);
  if ((printed_ & bit) == 0) std::fprintf(stderr, "stepscope: %s\n", text);
  printed_ |= bit;
  try {
    last_error_ = text;
  } catch (const std::bad_alloc&) {
    last_error_ = "no memory";  // fits into any std::string
  }
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
