// SPDX-License-Identifier: Apache-2.0
//
// What the processors do for this process, as counters of the capture: cores
// in use by the process ten times a second, and by each of its busiest threads
// once a second, by name. One thread uses it.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace stepscope::inject {

class CpuSampler {
 public:
  void SampleIfDue(int64_t now_ns);

 private:
  static constexpr int kThreads = 128;  // more are not looked at
  struct Thread {
    pid_t tid;
    uint64_t ticks;  // of processor time, user and system
  };

  void SampleProcess(int64_t now_ns);
  void SampleThreads(int64_t now_ns);
  const Thread* Known(pid_t tid) const;

  int64_t process_at_ns_ = 0;
  int64_t process_used_ns_ = 0;
  int64_t threads_at_ns_ = 0;
  Thread threads_[kThreads] = {};
  int thread_count_ = 0;
};

// The name in parentheses and the processor time of one line of
// /proc/<pid>/task/<tid>/stat. False if it is not such a line.
bool ParseThreadStat(const char* text, char name[32], uint64_t* ticks);

}  // namespace stepscope::inject
