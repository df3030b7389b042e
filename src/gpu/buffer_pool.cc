// SPDX-License-Identifier: Apache-2.0
#include "gpu/buffer_pool.h"

#include <sys/mman.h>

#include <cstring>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace stepscope::gpu {
namespace {

constexpr size_t kPageBytes = 4096;

}  // namespace

uint8_t* BufferPool::Address(uint32_t index) const {
  if (index < kMaxBuffers) return base_ + index * kBufferBytes;
  return base_ + kMaxBuffers * kBufferBytes +
         (index - kMaxBuffers) * kScratchBytes;
}

// kSlots: not the start of a buffer of ours.
uint32_t BufferPool::IndexOf(const uint8_t* buffer) const {
  const uintptr_t at =
      reinterpret_cast<uintptr_t>(buffer) - reinterpret_cast<uintptr_t>(base_);
  constexpr uintptr_t kLarge = uintptr_t{kMaxBuffers} * kBufferBytes;
  if (base_ == nullptr || at >= kLarge + uintptr_t{kScratch} * kScratchBytes)
    return kSlots;
  if (at < kLarge)
    return at % kBufferBytes == 0 ? static_cast<uint32_t>(at / kBufferBytes)
                                  : kSlots;
  return (at - kLarge) % kScratchBytes == 0
             ? kMaxBuffers +
                   static_cast<uint32_t>((at - kLarge) / kScratchBytes)
             : kSlots;
}

// Page faults are taken here, not while CUPTI writes a launch's record.
bool BufferPool::Back(uint32_t index) {
  uint8_t* address = Address(index);
  if (madvise(address, kBufferBytes, MADV_POPULATE_WRITE) != 0)
    for (size_t i = 0; i < kBufferBytes; i += kPageBytes) address[i] = 0;
  state_[index].store(kFree, std::memory_order_release);
  free_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool BufferPool::Prepare(size_t budget_bytes) {
  if (base_ == nullptr) {
    void* memory =
        mmap(nullptr, kMaxBuffers * kBufferBytes + kScratch * kScratchBytes,
             PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    base_ = static_cast<uint8_t*>(memory);
    for (uint32_t i = kMaxBuffers; i < kSlots; ++i) state_[i].store(kFree);
  }
  const size_t buffers = budget_bytes / kBufferBytes;
  budget_ = buffers < 4             ? 4
            : buffers > kMaxBuffers ? kMaxBuffers
                                    : static_cast<uint32_t>(buffers);
  // Buffers that never came back keep their place.
  for (uint32_t i = 0; i < budget_ / 2; ++i)
    if (state_[i].load() == kUnbacked) Back(i);
  if (backed_.load() < budget_ / 2) backed_.store(budget_ / 2);
  return true;
}

void BufferPool::Refill() {
  constexpr uint32_t kFew = 4;
  while (free_.load(std::memory_order_relaxed) < kFew &&
         backed_.load(std::memory_order_relaxed) < budget_) {
    const uint32_t index = backed_.load(std::memory_order_relaxed);
    if (state_[index].load() == kUnbacked) Back(index);
    backed_.store(index + 1, std::memory_order_release);
  }
}

void BufferPool::Release() {
  for (uint32_t i = 0; i < kMaxBuffers; ++i) {
    uint8_t free = kFree;
    if (!state_[i].compare_exchange_strong(free, kUnbacked)) continue;
    free_.fetch_sub(1, std::memory_order_relaxed);
    madvise(Address(i), kBufferBytes, MADV_DONTNEED);
  }
  backed_.store(0);
}

uint8_t* BufferPool::TakeFrom(uint32_t first, uint32_t last) {
  const uint32_t count = last - first;
  if (count == 0) return nullptr;
  const uint32_t start = hint_.fetch_add(1, std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = first + (start + i) % count;
    uint8_t free = kFree;
    if (state_[index].load(std::memory_order_relaxed) == kFree &&
        state_[index].compare_exchange_strong(free, kOut,
                                              std::memory_order_acq_rel)) {
      out_.fetch_add(1, std::memory_order_relaxed);
      return Address(index);
    }
  }
  return nullptr;
}

uint8_t* BufferPool::Take(size_t* bytes) {
  uint8_t* buffer = TakeFrom(0, backed_.load(std::memory_order_acquire));
  if (buffer == nullptr) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  free_.fetch_sub(1, std::memory_order_relaxed);
  *bytes = kBufferBytes;
  return buffer;
}

uint8_t* BufferPool::TakeScratch(size_t* bytes) {
  *bytes = kScratchBytes;
  return base_ != nullptr ? TakeFrom(kMaxBuffers, kSlots) : nullptr;
}

bool BufferPool::Give(const uint8_t* buffer, size_t valid) {
  const uint32_t index = IndexOf(buffer);
  if (index < kSlots && state_[index].load(std::memory_order_acquire) == kOut) {
    const size_t size = index < kMaxBuffers ? kBufferBytes : kScratchBytes;
    valid_[index] = valid < size ? valid : size;
    completed_at_[index].store(order_.fetch_add(1, std::memory_order_relaxed),
                               std::memory_order_relaxed);
    uint8_t out = kOut;
    if (state_[index].compare_exchange_strong(out, kCompleted,
                                              std::memory_order_acq_rel)) {
      out_.fetch_sub(1, std::memory_order_release);
      return true;
    }
  }
  strays_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

bool BufferPool::Next(Completed* completed) {
  uint32_t oldest = kSlots;
  for (uint32_t i = 0; i < kSlots; ++i) {
    if (state_[i].load(std::memory_order_acquire) != kCompleted) continue;
    if (oldest == kSlots || completed_at_[i].load() < completed_at_[oldest])
      oldest = i;
  }
  if (oldest == kSlots) return false;
  *completed = {oldest, Address(oldest), valid_[oldest], oldest >= kMaxBuffers};
  return true;
}

void BufferPool::Recycle(const Completed& completed) {
  state_[completed.index].store(kFree, std::memory_order_release);
  if (!completed.scratch) free_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace stepscope::gpu
