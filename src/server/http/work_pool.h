// SPDX-License-Identifier: Apache-2.0
//
// WorkPool: threads that answer requests. One is started when all others are
// busy, up to a limit, because some answers wait (a folder that may change, an
// import that goes on); it ends after a while without work. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace stepscope::server {

class WorkPool {
 public:
  explicit WorkPool(size_t most_threads, size_t most_waiting);
  // Runs what waits, then returns when all threads have ended.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // False: too much waits already. `task` must not throw.
  bool Run(std::function<void()> task);

 private:
  void Work();

  const size_t most_threads_;
  const size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::condition_variable ended_;
  std::deque<std::function<void()>> waiting_;
  size_t threads_ = 0;
  size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace stepscope::server
