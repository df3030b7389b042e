// SPDX-License-Identifier: Apache-2.0
#include "server/less_urgent.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace stepscope::server {

void BeLessUrgent() {
  constexpr int kNice = 10;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  constexpr int kWhoProcess = 1;
  constexpr int kIdleClass = 3 << 13;
  (void)syscall(SYS_ioprio_set, kWhoProcess, 0, kIdleClass);
}

}  // namespace stepscope::server
