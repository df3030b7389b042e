// SPDX-License-Identifier: Apache-2.0
//
// Executor: the threads that importers, exporters and analyses share. Work
// inside work finds the same threads, busy or idle, so that it never
// multiplies them. Thread-safe.
//
//   Executor::Shared().ForEach(files.size(), [&](size_t i) { Read(i); });
//
// Threads are started when there is work for them and end after a while
// without. They take no signals and never hold up the end of the process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace stepscope {

class Executor {
 public:
  // At most `threads` work at once for one caller, who is one of them. 0: one
  // per processor on which the caller may run.
  explicit Executor(size_t threads = 0);
  // Returns when its threads have ended. REQUIRES: nothing is under way.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // The one of this process. A forked child gets its own, without threads.
  static Executor& Shared();

  // How many may work at once for this caller, who is one of them.
  size_t threads() const;

  // Calls task(0) to task(count - 1) on this thread and on idle ones; returns
  // when all have returned. They are started in this order: a task may wait
  // for one with a lower number, and for its own ForEach. If one throws, those
  // not yet started are left out, and this throws the same.
  void ForEach(size_t count, const std::function<void(size_t)>& task);

  struct Pool;  // the threads

  // A task that runs beside who started it. The destructor waits for its end.
  class Companion {
   public:
    ~Companion();
    Companion(const Companion&) = delete;
    Companion& operator=(const Companion&) = delete;

   private:
    friend class Executor;
    struct State;
    explicit Companion(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
  };
  // Runs `task` beside the caller at once, so that the two may wait for each
  // other. Null if no thread is free: then the caller does the work alone.
  // `task` must not throw.
  std::unique_ptr<Companion> TryStart(std::function<void()> task);

 private:
  struct Group;

  const size_t wanted_;
  const int pid_;
  std::shared_ptr<Pool> pool_;                // its threads hold it as well
  const Executor* parent_process_ = nullptr;  // never used, never lost
};

}  // namespace stepscope
