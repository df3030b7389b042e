// SPDX-License-Identifier: Apache-2.0
//
// The one thread of the process on which finished windows are read, exported
// and handed to callbacks, in the order in which they were sealed. Started by
// the first job; thread-safe.
#pragma once

#include <signal.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace stepscope::profiler {

class DeliveryThread {
 public:
  DeliveryThread() = default;
  DeliveryThread(const DeliveryThread&) = delete;
  DeliveryThread& operator=(const DeliveryThread&) = delete;

  // Runs `job` on the thread; at once and here if there is none to be had or
  // after Shutdown. Jobs do not throw.
  void Enqueue(std::function<void()> job);

  // Finishes the jobs and ends the thread. False, with the thread left to
  // itself, if that takes longer.
  bool Shutdown(int timeout_ms);

  // True inside a job: whoever waits for delivery there waits for itself.
  static bool IsCurrent();

  // In the child of a fork made inside a job: whatever waits, waits for others.
  static void ForgetJob();
  // Ends such a child when its job is over, as the end of any other thread
  // would: here it would wait for jobs for ever. Returns on other threads.
  static void EndForkedChild();

 private:
  void Run();
  bool StartLocked();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::thread thread_;
  sigset_t program_signals_ = {};  // what the program blocks
  bool closed_ = false;
  bool finished_ = false;
};

// While there is one, the thread has the signal mask of the program: what a
// callback starts inherits it. On other threads than the above it does nothing.
class ProgramSignals {
 public:
  ProgramSignals();
  ~ProgramSignals();
  ProgramSignals(const ProgramSignals&) = delete;
  ProgramSignals& operator=(const ProgramSignals&) = delete;

 private:
  sigset_t before_ = {};
};

}  // namespace stepscope::profiler
