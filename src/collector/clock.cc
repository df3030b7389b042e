// SPDX-License-Identifier: Apache-2.0
#include "collector/clock.h"

#include <fcntl.h>
#include <stepscope/c.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace stepscope::collector {
namespace {

int64_t ReadNs(clockid_t id) {
  timespec t;
  clock_gettime(id, &t);
  return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

#if defined(__x86_64__)
// The kernel watches the TSC against other clocks and drops it as clock source
// when it misbehaves; what it does not trust, we do not use. Virtual machines
// on kvm-clock derive that clock from the TSC.
bool KernelTrustsTsc() {
  char name[32] = {};
  const int fd =
      open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
           O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;  // no sysfs: CPUID alone decides
  const ssize_t n = read(fd, name, sizeof(name) - 1);
  close(fd);
  if (n <= 0) return true;
  return std::strncmp(name, "tsc", 3) == 0 ||
         std::strncmp(name, "kvm-clock", 9) == 0 ||
         std::strncmp(name, "hyperv_clocksource_tsc_page", 27) == 0;
}

bool TscIsInvariant() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & (1u << 8)) != 0;
}
#endif

format::ClockKind Detect() {
  // For tests and for machines that lie about their counter.
  const char* forced = secure_getenv("STEPSCOPE_CLOCK");
  if (forced != nullptr && std::strcmp(forced, "monotonic") == 0)
    return format::ClockKind::kMonotonic;
#if defined(__x86_64__)
  if (TscIsInvariant() && KernelTrustsTsc()) return format::ClockKind::kTsc;
#elif defined(__aarch64__)
  return format::ClockKind::kCntvct;  // architecturally constant and global
#endif
  return format::ClockKind::kMonotonic;
}

}  // namespace

format::ClockKind ClockKindInUse() {
  static std::atomic<uint32_t> kind{0};
  uint32_t known = kind.load(std::memory_order_relaxed);
  if (known == 0) {
    known = static_cast<uint32_t>(Detect());
    kind.store(known, std::memory_order_relaxed);
  }
  return static_cast<format::ClockKind>(known);
}

uint64_t Now() {
  if (CounterUsable()) return stepscope_tick();
  return static_cast<uint64_t>(MonotonicNs());
}

uint64_t NominalHz() {
  switch (ClockKindInUse()) {
    case format::ClockKind::kMonotonic:
      return 1000000000;
    case format::ClockKind::kCntvct: {
#if defined(__aarch64__)
      uint64_t hz;
      __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
      return hz;
#else
      return 0;
#endif
    }
    case format::ClockKind::kTsc: {
#if defined(__x86_64__)
      unsigned denominator = 0, numerator = 0, crystal = 0, edx = 0;
      if (__get_cpuid(0x15u, &denominator, &numerator, &crystal, &edx) != 0 &&
          denominator != 0 && numerator != 0 && crystal != 0)
        return uint64_t{crystal} * numerator / denominator;
#endif
      return 0;
    }
  }
  return 0;
}

format::Anchor TakeAnchor() {
  constexpr int kTries = 16;
  format::Anchor best{};
  uint64_t narrowest = ~uint64_t{0};
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = Now();
    const int64_t monotonic = ReadNs(CLOCK_MONOTONIC);
    const uint64_t after = Now();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best.tick = before + (after - before) / 2;
    best.monotonic_ns = monotonic;
  }
  // The other clocks are read between two readings of the monotonic one.
  int64_t gap = INT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const int64_t before = ReadNs(CLOCK_MONOTONIC);
    const int64_t realtime = ReadNs(CLOCK_REALTIME);
    const int64_t boottime = ReadNs(CLOCK_BOOTTIME);
    const int64_t after = ReadNs(CLOCK_MONOTONIC);
    if (after - before >= gap) continue;
    gap = after - before;
    const int64_t middle = before + gap / 2;
    best.realtime_ns = realtime + (best.monotonic_ns - middle);
    best.boottime_ns = boottime + (best.monotonic_ns - middle);
  }
  // Half the bracket. A counter that states no frequency runs above 1 GHz, so
  // a tick is taken as a nanosecond: an upper bound.
  const uint64_t hz = NominalHz();
  const double ns_per_tick = hz != 0 ? 1e9 / static_cast<double>(hz) : 1.0;
  const double bracket = static_cast<double>(narrowest) * ns_per_tick;
  best.error_ns = 1 + static_cast<uint64_t>(bracket / 2);
  return best;
}

int64_t MonotonicNs() { return ReadNs(CLOCK_MONOTONIC); }

}  // namespace stepscope::collector
