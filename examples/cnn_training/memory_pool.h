// SPDX-License-Identifier: Apache-2.0
//
// The caching allocator behind every tensor. It hands a freed block to the
// next request of the same size, as the allocators of training frameworks do,
// and reports each allocation to the profiler with two totals: bytes in use
// ("allocated") and bytes taken from the system ("reserved").
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace cnn {

// Thread-safe: loader threads and the training thread share one pool.
class MemoryPool {
 public:
  // The pool of the process. Never destroyed, so that a tensor may be freed
  // at any time.
  static MemoryPool& Get();

  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // The block belongs to the caller until Free() with the same `bytes`.
  // Its content is indeterminate. REQUIRES: bytes > 0.
  float* Allocate(size_t bytes);
  void Free(float* block, size_t bytes) noexcept;

  uint64_t allocated_bytes() const;
  uint64_t reserved_bytes() const;

 private:
  MemoryPool() = default;

  mutable std::mutex mutex_;
  std::unordered_map<size_t, std::vector<float*>> free_blocks_;  // by bytes
  uint64_t allocated_bytes_ = 0;
  uint64_t reserved_bytes_ = 0;
};

}  // namespace cnn
