// SPDX-License-Identifier: Apache-2.0
//
// CancelToken: lets one thread ask another to give up long work. Who works
// looks at it now and then, and fails with ErrorCode::kCancelled.
#pragma once

#include <atomic>

namespace stepscope {

// Thread-safe. Outlives the work.
class CancelToken {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

}  // namespace stepscope
