// SPDX-License-Identifier: Apache-2.0
#include "python/interruptible.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace nb = nanobind;

namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLook{100};

struct Job {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<int()> work;
  int result = 0;
  bool done = false;
};

// Jobs that run, whether or not somebody waits for them. Never destroyed:
// threads may outlive the module.
struct Running {
  std::mutex mutex;
  std::condition_variable changed;
  int jobs = 0;
};
Running& AllRunning() {
  static Running* const running = new Running;
  return *running;
}

void CountJob(int change) {
  {
    const std::lock_guard lock(AllRunning().mutex);
    AllRunning().jobs += change;
  }
  AllRunning().changed.notify_all();
}

void Run(const std::shared_ptr<Job>& job) {
  const int result = job->work();
  {
    const std::lock_guard lock(job->mutex);
    job->result = result;
    job->done = true;
  }
  job->changed.notify_all();
}

bool WaitFor(Job& job, milliseconds time) {
  const nb::gil_scoped_release released;
  std::unique_lock lock(job.mutex);
  return job.changed.wait_for(lock, time, [&] { return job.done; });
}

}  // namespace

int RunInterruptibly(std::function<int()> work,
                     const std::function<void()>& look,
                     const std::function<void()>& cancel, bool wait) {
  const auto job = std::make_shared<Job>();
  job->work = std::move(work);
  CountJob(1);
  try {
    std::thread([job = job]() mutable {
      Run(job);
      job.reset();  // what it owns is gone before it is no longer counted
      CountJob(-1);
    }).detach();
  } catch (const std::system_error&) {  // no thread to be had
    const nb::gil_scoped_release released;
    Run(job);
    CountJob(-1);
    return job->result;
  }
  while (!WaitFor(*job, kLook)) {
    try {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      look();
    } catch (...) {
      cancel();
      while (wait && !WaitFor(*job, kLook)) {
      }
      throw;
    }
  }
  return job->result;
}

void WaitForAbandoned(int seconds) {
  std::unique_lock lock(AllRunning().mutex);
  AllRunning().changed.wait_for(lock, std::chrono::seconds(seconds),
                                [] { return AllRunning().jobs == 0; });
}
