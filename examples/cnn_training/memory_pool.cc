// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/memory_pool.h"

#include <stepscope/stepscope.h>

#include <new>

namespace cnn {
namespace {

// One cache line: rows of two tensors never share one.
constexpr std::align_val_t kAlignment{64};
constexpr char kPlace[] = "Place(cpu)";

}  // namespace

MemoryPool& MemoryPool::Get() {
  static MemoryPool* const pool = new MemoryPool;
  return *pool;
}

float* MemoryPool::Allocate(size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<float*>& blocks = free_blocks_[bytes];
  float* block;
  if (blocks.empty()) {
    // Room to give this block back, so that Free() cannot throw.
    blocks.reserve(blocks.capacity() + 1);
    block = static_cast<float*>(::operator new(bytes, kAlignment));
    reserved_bytes_ += bytes;
  } else {
    block = blocks.back();
    blocks.pop_back();
  }
  allocated_bytes_ += bytes;
  // Recorded under the lock, so that the totals appear in the order in which
  // they were true.
  stepscope::RecordAlloc(block, bytes, kPlace, allocated_bytes_,
                         reserved_bytes_);
  return block;
}

void MemoryPool::Free(float* block, size_t bytes) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  free_blocks_[bytes].push_back(block);
  allocated_bytes_ -= bytes;
  stepscope::RecordFree(block, bytes, kPlace, allocated_bytes_,
                        reserved_bytes_);
}

uint64_t MemoryPool::allocated_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return allocated_bytes_;
}

uint64_t MemoryPool::reserved_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return reserved_bytes_;
}

}  // namespace cnn
