// SPDX-License-Identifier: Apache-2.0
#include "profiled_server/request_queue.h"

#include <stepscope/stepscope.h>

#include <utility>

namespace pserver {

void RequestQueue::Push(Request request) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return;
    requests_.push_back(std::move(request));
    stepscope::RecordCounter("requests waiting",
                             static_cast<int64_t>(requests_.size()));
  }
  changed_.notify_one();
}

std::optional<Request> RequestQueue::Pop() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || !requests_.empty(); });
  if (requests_.empty()) return std::nullopt;
  Request request = std::move(requests_.front());
  requests_.pop_front();
  stepscope::RecordCounter("requests waiting",
                           static_cast<int64_t>(requests_.size()));
  return request;
}

void RequestQueue::Close() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

}  // namespace pserver
