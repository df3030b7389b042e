// SPDX-License-Identifier: Apache-2.0
#include "collector/signal_frame.h"

#include <signal.h>
#if !defined(__x86_64__)
#include <sys/auxv.h>
#endif
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace stepscope::collector {
namespace {

constexpr uintptr_t kDepth = 32768;

// Where handlers return to: [from, until).
struct ReturnPlace {
  uintptr_t from = 0;
  uintptr_t until = 0;
};

#if defined(__x86_64__)
// What the C library gave the kernel for the handlers of blocked signals; the
// same for all.
ReturnPlace FindReturnPlace(uint64_t blocked) {
  struct {
    void* handler;
    unsigned long flags;
    uintptr_t restorer;
    uint64_t mask;
  } action = {};
  for (int number = 1; number <= 64; ++number) {
    if ((blocked >> (number - 1) & 1) == 0) continue;
    if (syscall(SYS_rt_sigaction, number, nullptr, &action,
                sizeof(action.mask)) == 0 &&
        action.restorer != 0)
      return {action.restorer, action.restorer + 1};
  }
  return {};
}
#else
// In the pages that the kernel maps into every process.
ReturnPlace FindReturnPlace(uint64_t) {
  const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
  return {vdso, vdso + 8192};
}
#endif

}  // namespace

bool ReadOwnMemory(uintptr_t at, void* out, size_t bytes) {
  const iovec to = {out, bytes};
  const iovec from = {reinterpret_cast<void*>(at), bytes};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) ==
         static_cast<ssize_t>(bytes);
}

__attribute__((noinline)) bool RunsHandler(uint64_t blocked) {
  if (blocked == 0) return false;
#if defined(__SANITIZE_THREAD__)
  // Its runtime calls handlers later, by itself, with all signals blocked:
  // there is no frame to be found.
  return true;
#endif
  const ReturnPlace place = FindReturnPlace(blocked);
  if (place.from == 0) return false;
  constexpr size_t kWords = 128;
  uintptr_t words[kWords];
  // The stack may end before: what is behind must not be touched.
  auto at = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  for (const uintptr_t end = at + kDepth; at < end; at += sizeof(words)) {
    if (!ReadOwnMemory(at, words, sizeof(words))) return false;
    for (const uintptr_t word : words)
      if (word >= place.from && word < place.until) return true;
  }
  return false;
}

}  // namespace stepscope::collector
