// SPDX-License-Identifier: Apache-2.0
#include "server/http/exchange.h"

namespace stepscope::server {

bool Exchange::Write(std::string_view bytes) {
  {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return closed_ || waiting_.size() < kRunAhead; });
    if (closed_) return false;
    waiting_ += bytes;
  }
  wake_();
  return true;
}

void Exchange::Finish(bool keep_open) {
  {
    const std::lock_guard lock(mutex_);
    state_ = {true, keep_open};
  }
  wake_();
}

bool Exchange::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

Exchange::State Exchange::Take(std::string& out) {
  const std::lock_guard lock(mutex_);
  if (out.empty())
    out.swap(waiting_);
  else
    out += waiting_;
  waiting_.clear();
  room_.notify_all();
  return state_;
}

void Exchange::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  room_.notify_all();
}

}  // namespace stepscope::server
