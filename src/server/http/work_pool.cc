// SPDX-License-Identifier: Apache-2.0
#include "server/http/work_pool.h"

#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

namespace stepscope::server {
namespace {

constexpr auto kIdleTime = std::chrono::seconds(30);

}  // namespace

WorkPool::WorkPool(size_t most_threads, size_t most_waiting)
    : most_threads_(most_threads), most_waiting_(most_waiting) {}

WorkPool::~WorkPool() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  more_.notify_all();
  ended_.wait(lock, [this] { return threads_ == 0; });
}

bool WorkPool::Run(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiting_.size() >= most_waiting_) return false;
  waiting_.push_back(std::move(task));
  if (waiting_.size() > idle_ && threads_ < most_threads_) {
    try {
      std::thread([this] { Work(); }).detach();
      ++threads_;
    } catch (const std::system_error&) {
      if (threads_ > 0) return true;  // one of the others will do it
      waiting_.pop_back();
      return false;
    }
  }
  more_.notify_one();
  return true;
}

void WorkPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    const bool found = more_.wait_for(
        lock, kIdleTime, [this] { return stopping_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) {
      if (found && !stopping_) continue;
      break;
    }
    std::function<void()> task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
  --threads_;
  // Under the lock: afterwards this object may be gone.
  ended_.notify_all();
}

}  // namespace stepscope::server
