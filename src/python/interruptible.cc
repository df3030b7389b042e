// SPDX-License-Identifier: Apache-2.0
#include "python/interruptible.h"

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "python/gil.h"

namespace nb = nanobind;

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
constexpr milliseconds kLook{100};

struct Job {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<int()> work;
  int result = 0;
  bool done = false;
  bool abandoned = false;  // set before it is done, if ever
};

// Jobs that nobody waits for any more. No lock, which a fork might find taken.
std::atomic<int> abandoned{0};

void Run(const std::shared_ptr<Job>& job) {
  const int result = job->work();
  {
    const std::lock_guard lock(job->mutex);
    job->result = result;
    job->done = true;
  }
  job->changed.notify_all();
}

// False: it is done.
bool Abandon(Job& job) {
  const std::lock_guard lock(job.mutex);
  if (job.done) return false;
  job.abandoned = true;
  ++abandoned;
  return true;
}

bool WaitFor(Job& job, milliseconds time) {
  const GilReleased released;
  std::unique_lock lock(job.mutex);
  return job.changed.wait_for(lock, time, [&] { return job.done; });
}

}  // namespace

int RunInterruptibly(std::function<int()> work,
                     const std::function<void()>& look,
                     const std::function<void()>& cancel, bool wait) {
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  std::thread thread;
  try {
    thread = std::thread([job]() mutable {
      Run(job);
      const bool counted = job->abandoned;
      job.reset();  // what it owns is gone before it is no longer counted
      if (counted) --abandoned;
    });
  } catch (const std::system_error&) {  // no thread to be had
    const GilReleased released;
    Run(job);
    return job->result;
  }
  const auto join = [&] {
    const GilReleased released;
    thread.join();
  };
  while (!WaitFor(*job, kLook)) {
    try {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      look();
    } catch (...) {
      cancel();
      if (!wait && Abandon(*job)) {
        thread.detach();
      } else {
        join();
      }
      throw;
    }
  }
  join();
  return job->result;
}

void WaitForAbandoned(int seconds) {
  const auto end = steady_clock::now() + std::chrono::seconds(seconds);
  while (abandoned > 0 && steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(5));
  }
}
