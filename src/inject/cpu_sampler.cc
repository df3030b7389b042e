// SPDX-License-Identifier: Apache-2.0
#include "inject/cpu_sampler.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stepscope/c.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace stepscope::inject {
namespace {

constexpr int64_t kProcessPeriodNs = 100'000'000;
// Once a second; at first more often, so that a short recording has some.
constexpr int64_t kFirstThreadPeriodNs = 100'000'000;
constexpr int64_t kThreadPeriodNs = 1'000'000'000;

bool IsOwnThread(const char* name) {
  constexpr char kBegin[] = "stepscope";
  return std::strncmp(name, kBegin, sizeof(kBegin) - 1) == 0;
}

int64_t Nanoseconds(const timeval& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_usec * 1000;
}

bool ReadSmallFile(const char* path, char* text, size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t n = read(fd, text, size - 1);
  close(fd);
  if (n <= 0) return false;
  text[n] = '\0';
  return true;
}

bool ReadOfThread(pid_t tid, const char* file, char* text, size_t size) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/%s", tid, file);
  return ReadSmallFile(path, text, size);
}

// All threads of another process, since they began; 0: not known.
uint64_t ReadyTimeOf(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%d/task", pid);
  DIR* folder = opendir(path);
  if (folder == nullptr) return 0;
  uint64_t sum = 0;
  while (const dirent* entry = readdir(folder)) {
    const pid_t tid = std::atoi(entry->d_name);
    char text[128];
    uint64_t run_ns = 0;
    uint64_t wait_ns = 0;
    std::snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
    if (tid <= 0 || !ReadSmallFile(path, text, sizeof(text)) ||
        !ParseSchedStat(text, &run_ns, &wait_ns))
      continue;
    std::snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
    if (ReadSmallFile(path, text, sizeof(text)) && !IsOwnThread(text))
      sum += run_ns + wait_ns;
  }
  closedir(folder);
  return sum;
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

bool ParseSchedStat(const char* text, uint64_t* run_ns, uint64_t* wait_ns) {
  unsigned long long run = 0;
  unsigned long long wait = 0;
  if (std::sscanf(text, "%llu %llu", &run, &wait) != 2) return false;
  *run_ns = run;
  *wait_ns = wait;
  return true;
}

double ParseCpuQuota(const char* text) {
  long long quota = 0;
  long long period = 0;
  if (std::sscanf(text, "%lld %lld", &quota, &period) != 2 || quota <= 0 ||
      period <= 0) {
    return 0;
  }
  return static_cast<double>(quota) / static_cast<double>(period);
}

bool WriteUsableProcessors(char* text, size_t size) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return false;
  double count = CPU_COUNT(&allowed);
  char line[128];
  // In a container, its own control group is the root.
  if (ReadSmallFile("/sys/fs/cgroup/cpu.max", line, sizeof(line))) {
    const double quota = ParseCpuQuota(line);
    if (quota > 0 && quota < count) count = quota;
  }
  std::snprintf(text, size, "%g", count);
  return true;
}

void CpuSampler::SampleIfDue(int64_t now_ns) {
  if (now_ns - process_at_ns_ >= kProcessPeriodNs) SampleProcess(now_ns);
  if (now_ns - threads_at_ns_ < threads_period_ns_) return;
  threads_period_ns_ =
      threads_period_ns_ == 0 ? kFirstThreadPeriodNs : 2 * threads_period_ns_;
  if (threads_period_ns_ > kThreadPeriodNs)
    threads_period_ns_ = kThreadPeriodNs;
  SampleThreads(now_ns);
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
  if (memory_) SampleMemory();
}

const CpuSampler::Thread* CpuSampler::Known(pid_t tid) const {
  for (int i = 0; i < thread_count_; ++i)
    if (threads_[i].tid == tid) return &threads_[i];
  return nullptr;
}

// What is the process's own: shared memory has the recorder's ring in it.
void CpuSampler::SampleMemory() {
  char text[128];
  uint64_t pages[3] = {};
  if (!ReadSmallFile("/proc/self/statm", text, sizeof(text)) ||
      std::sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &pages[0],
                  &pages[1], &pages[2]) != 3 ||
      pages[2] > pages[1])
    return;
  // As python/stepscope/_memory.py names it.
  stepscope_counter_f64("process memory",
                        static_cast<double>(pages[1] - pages[2]) *
                            static_cast<double>(sysconf(_SC_PAGESIZE)));
}

void CpuSampler::SampleThreads(int64_t now_ns) {
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return;
  Thread fresh[kThreads];
  int count = 0;
  const bool first = threads_at_ns_ == 0;
  bool knows_wait = false;
  uint64_t wanted_ns = 0;
  const auto elapsed_ns = static_cast<double>(now_ns - threads_at_ns_);
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  while (const dirent* entry = readdir(folder)) {
    const pid_t tid = std::atoi(entry->d_name);
    if (tid <= 0 || count == kThreads) continue;
    char text[1024];
    char name[32];
    Thread& thread = fresh[count];
    thread = {tid, 0, 0, 0};
    if (!ReadOfThread(tid, "stat", text, sizeof(text)) ||
        !ParseThreadStat(text, name, &thread.ticks))
      continue;
    ++count;
    const bool has_wait = ReadOfThread(tid, "schedstat", text, sizeof(text)) &&
                          ParseSchedStat(text, &thread.run_ns, &thread.wait_ns);
    // One that is not known has begun since, unless there was no room for it.
    const Thread* known = Known(tid);
    if (first || (known == nullptr && thread_count_ == kThreads)) continue;
    const Thread before = known != nullptr ? *known : Thread{tid, 0, 0, 0};
    const bool has_both = has_wait && (known == nullptr || before.run_ns > 0);
    const uint64_t waited_ns = thread.wait_ns - before.wait_ns;
    if (has_both && !IsOwnThread(name)) {
      knows_wait = true;
      wanted_ns += thread.run_ns - before.run_ns + waited_ns;
    }
    if (before.ticks == thread.ticks) continue;
    char counter[64];
    std::snprintf(counter, sizeof(counter), "CPU of %s (%d)", name, tid);
    stepscope_counter_f64(
        counter, static_cast<double>(thread.ticks - before.ticks) / per_second /
                     (elapsed_ns / 1e9));
    if (!has_both || IsOwnThread(name)) continue;
    std::snprintf(counter, sizeof(counter), "CPU wait of %s (%d)", name, tid);
    stepscope_counter_f64(counter, static_cast<double>(waited_ns) / elapsed_ns);
  }
  closedir(folder);
  if (knows_wait) {
    stepscope_counter_f64("Threads ready to run",
                          static_cast<double>(wanted_ns) / elapsed_ns);
  }
  SampleChildren(first ? 0 : elapsed_ns);
  std::memcpy(threads_, fresh, sizeof(Thread) * static_cast<size_t>(count));
  thread_count_ = count;
  threads_at_ns_ = now_ns;
}

// `elapsed_ns`: 0 for the first time.
void CpuSampler::SampleChildren(double elapsed_ns) {
  char text[1024];
  if (!ReadOfThread(getpid(), "children", text, sizeof(text))) return;
  Child fresh[kChildren];
  int count = 0;
  char* end = nullptr;
  for (const char* p = text; count < kChildren; p = end) {
    const long pid = std::strtol(p, &end, 10);
    if (end == p) break;
    // The kernel writes a blank after each; a number without was cut off.
    if (*end != ' ') break;
    Child& child = fresh[count];
    child = {static_cast<pid_t>(pid), ReadyTimeOf(static_cast<pid_t>(pid))};
    if (child.ready_ns == 0) continue;
    ++count;
    for (int i = 0; i < child_count_ && elapsed_ns > 0; ++i) {
      const Child& before = children_[i];
      // Less than before: a thread of it has ended.
      if (before.pid != child.pid || child.ready_ns < before.ready_ns) continue;
      char counter[64];
      std::snprintf(counter, sizeof(counter),
                    "Threads ready to run in child %d", child.pid);
      stepscope_counter_f64(
          counter,
          static_cast<double>(child.ready_ns - before.ready_ns) / elapsed_ns);
    }
  }
  std::memcpy(children_, fresh, sizeof(Child) * static_cast<size_t>(count));
  child_count_ = count;
}

}  // namespace stepscope::inject
