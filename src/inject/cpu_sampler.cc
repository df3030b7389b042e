// SPDX-License-Identifier: Apache-2.0
#include "inject/cpu_sampler.h"

#include <dirent.h>
#include <fcntl.h>
#include <stepscope/c.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace stepscope::inject {
namespace {

constexpr int64_t kProcessPeriodNs = 100'000'000;
constexpr int64_t kThreadPeriodNs = 1'000'000'000;

int64_t Nanoseconds(const timeval& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_usec * 1000;
}

bool ReadStat(pid_t tid, char* text, size_t size) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t n = read(fd, text, size - 1);
  close(fd);
  if (n <= 0) return false;
  text[n] = '\0';
  return true;
}

}  // namespace

bool ParseThreadStat(const char* text, char name[32], uint64_t* ticks) {
  const char* open = std::strchr(text, '(');
  const char* close = std::strrchr(text, ')');  // a name may hold one too
  if (open == nullptr || close == nullptr || close < open) return false;
  std::snprintf(name, 32, "%.*s", static_cast<int>(close - open - 1), open + 1);
  // State is field 3; user and system time are 14 and 15.
  const char* p = close + 1;
  for (int field = 2; field < 13; ++field) {
    p = std::strchr(p + 1, ' ');
    if (p == nullptr) return false;
  }
  unsigned long long user = 0;
  unsigned long long system = 0;
  if (std::sscanf(p, " %llu %llu", &user, &system) != 2) return false;
  *ticks = user + system;
  return true;
}

void CpuSampler::SampleIfDue(int64_t now_ns) {
  if (now_ns - process_at_ns_ >= kProcessPeriodNs) SampleProcess(now_ns);
  if (now_ns - threads_at_ns_ >= kThreadPeriodNs) SampleThreads(now_ns);
}

void CpuSampler::SampleProcess(int64_t now_ns) {
  rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return;
  const int64_t used =
      Nanoseconds(usage.ru_utime) + Nanoseconds(usage.ru_stime);
  if (process_at_ns_ != 0) {
    stepscope_counter_f64("CPU cores in use",
                          static_cast<double>(used - process_used_ns_) /
                              static_cast<double>(now_ns - process_at_ns_));
  }
  process_at_ns_ = now_ns;
  process_used_ns_ = used;
}

const CpuSampler::Thread* CpuSampler::Known(pid_t tid) const {
  for (int i = 0; i < thread_count_; ++i)
    if (threads_[i].tid == tid) return &threads_[i];
  return nullptr;
}

void CpuSampler::SampleThreads(int64_t now_ns) {
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return;
  Thread fresh[kThreads];
  int count = 0;
  const double elapsed = static_cast<double>(now_ns - threads_at_ns_) / 1e9;
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  while (const dirent* entry = readdir(folder)) {
    const pid_t tid = std::atoi(entry->d_name);
    if (tid <= 0 || count == kThreads) continue;
    char text[1024];
    char name[32];
    Thread& thread = fresh[count];
    thread.tid = tid;
    if (!ReadStat(tid, text, sizeof(text)) ||
        !ParseThreadStat(text, name, &thread.ticks))
      continue;
    ++count;
    const Thread* before = Known(tid);
    if (before == nullptr || before->ticks == thread.ticks) continue;
    char counter[64];
    std::snprintf(counter, sizeof(counter), "CPU of %s (%d)", name, tid);
    stepscope_counter_f64(counter,
                          static_cast<double>(thread.ticks - before->ticks) /
                              per_second / elapsed);
  }
  closedir(folder);
  std::memcpy(threads_, fresh, sizeof(Thread) * static_cast<size_t>(count));
  thread_count_ = count;
  threads_at_ns_ = now_ns;
}

}  // namespace stepscope::inject
