// SPDX-License-Identifier: Apache-2.0
#include "guest/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>
#include <random>

namespace stepscope::guest {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the filter knows x86_64 and aarch64"
#endif

struct Refusal {
  long number;
  uint32_t error;
};

// clone3 and statx are refused as unknown: then glibc takes the older call.
constexpr Refusal kRefusals[] = {
    {SYS_fallocate, EPERM},
    {SYS_memfd_create, EPERM},
    {SYS_setpriority, EPERM},
    {SYS_sched_setattr, EPERM},
    {SYS_sched_setscheduler, EPERM},
    {SYS_perf_event_open, EPERM},
    {SYS_prctl, EPERM},
    {SYS_inotify_init1, EPERM},
    {SYS_inotify_add_watch, EPERM},
    {SYS_madvise, EPERM},
    {SYS_getrandom, EPERM},
    {SYS_getrusage, EPERM},
    {SYS_sysinfo, EPERM},
    {SYS_uname, EPERM},
    {SYS_symlinkat, EPERM},
    {SYS_statfs, EPERM},
    {SYS_membarrier, EPERM},
    {SYS_mlock, EPERM},
    {SYS_timer_create, EPERM},
    {SYS_eventfd2, EPERM},
    {SYS_socket, EPERM},
    {SYS_ptrace, EPERM},
    {SYS_process_vm_readv, EPERM},
#ifdef SYS_symlink
    {SYS_symlink, EPERM},
#endif
#ifdef SYS_clone3
    {SYS_clone3, ENOSYS},
#endif
#ifdef SYS_statx
    {SYS_statx, ENOSYS},
#endif
#ifdef SYS_pidfd_open
    {SYS_pidfd_open, ENOSYS},
#endif
#ifdef SYS_io_uring_setup
    {SYS_io_uring_setup, EPERM},
#endif
#ifdef SYS_unshare
    {SYS_unshare, EPERM},
#endif
#ifdef SYS_close_range
    {SYS_close_range, ENOSYS},
#endif
};

class Filter {
 public:
  Filter() {
    Add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    Jump(kArchitecture, 1, 0);
    Add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    Add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  }
  void On(long number, uint32_t answer) {
    Jump(static_cast<uint32_t>(number), 0, 1);
    Add(BPF_RET | BPF_K, answer);
  }
  bool Install(uint32_t otherwise) {
    Add(BPF_RET | BPF_K, otherwise);
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void Add(int code, uint32_t value) {
    code_.push_back({static_cast<uint16_t>(code), 0, 0, value});
  }
  void Jump(uint32_t value, uint8_t if_equal, uint8_t otherwise) {
    code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, if_equal, otherwise, value});
  }
  std::vector<sock_filter> code_;
};

}  // namespace

bool RefuseDispensableCalls(uint64_t seed) {
  std::mt19937_64 rng(seed);
  Filter filter;
  for (const Refusal& refusal : kRefusals) {
    // Without it there may be no session, and nothing to see.
    const uint64_t odds = refusal.number == SYS_fallocate ? 4 : 2;
    if (rng() % odds == 0)
      filter.On(refusal.number, SECCOMP_RET_ERRNO | refusal.error);
  }
  return filter.Install(SECCOMP_RET_ALLOW);
}

bool RefuseCall(long call, int error) {
  Filter filter;
  filter.On(call, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error));
  return filter.Install(SECCOMP_RET_ALLOW);
}

bool AllowOnly(const std::vector<long>& calls) {
  Filter filter;
  for (const long call : calls) filter.On(call, SECCOMP_RET_ALLOW);
  return filter.Install(SECCOMP_RET_KILL_PROCESS);
}

}  // namespace stepscope::guest
