// SPDX-License-Identifier: Apache-2.0
#include "collector/error.h"

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

namespace stepscope::collector {
namespace {

// Written round-robin, so that a text handed out stays whole for a while.
constexpr uint32_t kBuffers = 8;
char buffers[kBuffers][512];
std::atomic<uint32_t> next_buffer{0};
std::atomic<const char*> current{""};

}  // namespace

void SetLastError(const char* format, ...) {
  char* buffer =
      buffers[next_buffer.fetch_add(1, std::memory_order_relaxed) % kBuffers];
  va_list args;
  va_start(args, format);
  std::vsnprintf(buffer, sizeof(buffers[0]), format, args);
  va_end(args);
  current.store(buffer, std::memory_order_release);
}

const char* LastError() { return current.load(std::memory_order_acquire); }

}  // namespace stepscope::collector
