// SPDX-License-Identifier: Apache-2.0
//
// What the processors do for this process, as counters of the capture: cores
// in use by the process ten times a second, and once a second each of its
// threads by name, with how long it was ready to run and waited for a
// processor. Processes that it forked, such as the workers of a data loader,
// have no thread of the recorder's: they are looked at from here. One thread
// uses it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace stepscope::inject {

class CpuSampler {
 public:
  // `memory`: of the process, too.
  explicit CpuSampler(bool memory) : memory_(memory) {}

  void SampleIfDue(int64_t now_ns);

 private:
  static constexpr int kThreads = 128;  // more are not looked at
  struct Thread {
    pid_t tid;
    uint64_t ticks;  // of processor time, user and system
    uint64_t run_ns;
    uint64_t wait_ns;  // ready to run, without a processor
  };

  static constexpr int kChildren = 64;  // of the main thread
  struct Child {
    pid_t pid;
    uint64_t ready_ns;  // of its threads: running, or ready to run
  };

  void SampleProcess(int64_t now_ns);
  void SampleMemory();
  void SampleThreads(int64_t now_ns);
  void SampleChildren(double elapsed_ns);
  const Thread* Known(pid_t tid) const;

  const bool memory_;
  int64_t process_at_ns_ = 0;
  int64_t process_used_ns_ = 0;
  int64_t threads_at_ns_ = 0;
  int64_t threads_period_ns_ = 0;
  Thread threads_[kThreads] = {};
  int thread_count_ = 0;
  Child children_[kChildren] = {};
  int child_count_ = 0;
};

// The name in parentheses and the processor time of one line of
// /proc/<pid>/task/<tid>/stat. False if it is not such a line.
bool ParseThreadStat(const char* text, char name[32], uint64_t* ticks);

// The two times of /proc/<pid>/task/<tid>/schedstat. False if it is not such a
// line.
bool ParseSchedStat(const char* text, uint64_t* run_ns, uint64_t* wait_ns);

// How many processors a quota of a control group is, from its cpu.max:
// "150000 100000" is 1.5. 0: no limit, or not such a line.
double ParseCpuQuota(const char* text);

// How many processors this process may use, by its affinity and the quota of
// its control group. False: not known.
bool WriteUsableProcessors(char* text, size_t size);

}  // namespace stepscope::inject
