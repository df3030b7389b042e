// SPDX-License-Identifier: Apache-2.0
#include "profiler/delivery_thread.h"

#include <pthread.h>
#include <stepscope/c.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <system_error>
#include <utility>

namespace stepscope::profiler {
namespace {

thread_local bool in_job = false;
thread_local const sigset_t* program_signals = nullptr;

void RunJob(const std::function<void()>& job) {
  bool outer = std::exchange(in_job, true);
  job();
  in_job = outer;
}

}  // namespace

bool DeliveryThread::IsCurrent() { return in_job; }

void DeliveryThread::ForgetJob() { in_job = false; }

void DeliveryThread::EndForkedChild() {
  if (program_signals != nullptr) _exit(0);
}

void DeliveryThread::Enqueue(std::function<void()> job) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!closed_ && StartLocked()) {
      try {
        jobs_.emplace_back();
        jobs_.back() = std::move(job);
        changed_.notify_all();
        return;
      } catch (const std::bad_alloc&) {  // then here and now
      }
    }
  }
  RunJob(job);
}

bool DeliveryThread::StartLocked() {
  if (thread_.joinable()) return true;
  // The program's signals are not for this thread.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &program_signals_);
  bool started = true;
  stepscope_background_thread(0);
  try {
    thread_ = std::thread(&DeliveryThread::Run, this);
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &program_signals_, nullptr);
  return started;
}

void DeliveryThread::Run() {
  pthread_setname_np(pthread_self(), "stepscope-out");
  stepscope_background_thread(1);
  program_signals = &program_signals_;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) break;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    RunJob(job);
    job = nullptr;  // its captures go before the lock is taken again
    lock.lock();
  }
  stepscope_background_thread(-1);
  finished_ = true;
  changed_.notify_all();
}

bool DeliveryThread::Shutdown(int timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  closed_ = true;
  changed_.notify_all();
  if (!thread_.joinable()) return true;
  if (!changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                         [this] { return finished_; })) {
    thread_.detach();
    return false;
  }
  std::thread finished = std::move(thread_);
  lock.unlock();
  finished.join();
  return true;
}

ProgramSignals::ProgramSignals() {
  if (program_signals != nullptr)
    pthread_sigmask(SIG_SETMASK, program_signals, &before_);
}

ProgramSignals::~ProgramSignals() {
  if (program_signals != nullptr)
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace stepscope::profiler
