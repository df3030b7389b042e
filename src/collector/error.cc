// SPDX-License-Identifier: Apache-2.0
#include "collector/error.h"

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "collector/thread.h"

namespace stepscope::collector {
namespace {

// Written round-robin, so that a text handed out stays whole for a while.
constexpr uint32_t kBuffers = 8;
char buffers[kBuffers][ThreadState::kErrorBytes];
std::atomic<uint32_t> next_buffer{0};
std::atomic<const char*> shared{""};

// One byte, because space for this kind of TLS is scarce in a library that is
// loaded late. The text is where there is room, in the ThreadState.
__thread bool background __attribute__((tls_model("initial-exec")));

// Null if the calling thread cannot have a text of its own.
ThreadState* OwnState() {
  ThreadHot* const hot = &stepscope_thread_local_v1;
  const Entered entered(hot);
  return entered.ok() && !background ? StateOf(hot) : nullptr;
}

void Keep(const char* format, va_list args) {
  ThreadState* const state = OwnState();
  if (state != nullptr) {
    std::vsnprintf(state->error, sizeof(state->error), format, args);
    state->has_error = true;
    return;
  }
  char* const buffer =
      buffers[next_buffer.fetch_add(1, std::memory_order_relaxed) % kBuffers];
  std::vsnprintf(buffer, sizeof(buffers[0]), format, args);
  shared.store(buffer, std::memory_order_release);
}

}  // namespace

void SetLastError(const char* format, ...) {
  va_list args;
  va_start(args, format);
  Keep(format, args);
  va_end(args);
}

int Fail(int status, const char* format, ...) {
  va_list args;
  va_start(args, format);
  Keep(format, args);
  va_end(args);
  return status;
}

void ClearLastError() {
  auto* const state =
      static_cast<ThreadState*>(stepscope_thread_local_v1.state);
  if (state != nullptr) state->has_error = false;
}

const char* LastError() {
  const auto* const state =
      static_cast<const ThreadState*>(stepscope_thread_local_v1.state);
  if (state != nullptr && state->has_error) return state->error;
  return shared.load(std::memory_order_acquire);
}

void MarkBackgroundThread() { background = true; }

SaidForOne::SaidForOne() : before_(shared.load(std::memory_order_acquire)) {}

SaidForOne::~SaidForOne() { shared.store(before_, std::memory_order_release); }

}  // namespace stepscope::collector
