// SPDX-License-Identifier: Apache-2.0
//
// FilePages: which memory of a trace is pages of a mapped file, that can be
// given back to the system at any time. Thread-safe.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

namespace stepscope {

class FilePages {
 public:
  // REQUIRES: `bytes` lie in a mapping of a file that nobody can write to, as
  // long as this lives. What was written to anonymous memory would be lost.
  void Add(std::span<const std::byte> bytes);

  // The process no longer holds them; who looks at them gets them from the
  // file again, which the system keeps in its memory as long as there is room.
  // May be called while others read.
  void GiveBack() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::span<const std::byte>> ranges_;  // of whole pages
};

}  // namespace stepscope
