// SPDX-License-Identifier: Apache-2.0
#include "collector/signal_frame.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

__attribute__((no_sanitize("address"), noinline)) bool RunsHandler(
    uint64_t blocked) {
  if (blocked == 0) return false;
  const ReturnPlace place = FindReturnPlace(blocked);
  if (place.from == 0) return false;
  const uintptr_t page = getauxval(AT_PAGESZ);
  uintptr_t at = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const uintptr_t end = at + kDepth;
  for (uintptr_t mapped_until = at; at < end; at += sizeof(uintptr_t)) {
    if (at >= mapped_until) {
      // The stack may end here.
      unsigned char resident[1];
      const uintptr_t start = at & ~(page - 1);
      if (mincore(reinterpret_cast<void*>(start), 1, resident) != 0)
        return false;
      mapped_until = start + page;
    }
    const auto word = *reinterpret_cast<const volatile uintptr_t*>(at);
    if (word >= place.from && word < place.until) return true;
  }
  return false;
}

}  // namespace stepscope::collector
