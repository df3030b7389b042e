// SPDX-License-Identifier: Apache-2.0
//
// BufferPool: the memory CUPTI writes its records into. Made before recording,
// handed out and taken back without locks or allocation, from any thread;
// a buffer is known by its address. One thread, the device thread, prepares
// the pool and empties completed buffers.
//
//   free --Take--> out --Give--> completed --Next, Recycle--> free
//
// Where the pool is used up, Take() returns null; a library that cannot take
// no for an answer gets scratch memory whose content is counted, not kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stepscope::gpu {

class BufferPool {
 public:
  static constexpr size_t kBufferBytes = size_t{2} << 20;
  static constexpr uint32_t kMaxBuffers = 512;
  static constexpr size_t kScratchBytes = 4096;
  static constexpr uint32_t kScratch = 64;

  struct Completed {
    uint32_t index = 0;
    uint8_t* bytes = nullptr;
    size_t valid = 0;
    bool scratch = false;
  };

  // Makes sure that the address space exists and that half of `budget_bytes`
  // is backed by memory. False: the system refuses.
  bool Prepare(size_t budget_bytes);
  // Backs further buffers, up to the budget, where few are left free.
  void Refill();
  // Gives the memory of free buffers back to the system.
  void Release();

  // Any thread.
  uint8_t* Take(size_t* bytes);
  uint8_t* TakeScratch(size_t* bytes);
  // False: not a buffer that is out; counted.
  bool Give(const uint8_t* buffer, size_t valid);

  // Device thread. Oldest first; false: none.
  bool Next(Completed* completed);
  void Recycle(const Completed& completed);

  uint32_t out() const { return out_.load(std::memory_order_acquire); }
  uint64_t refused() const { return refused_.load(); }
  uint64_t strays() const { return strays_.load(); }

 private:
  enum State : uint8_t { kUnbacked, kFree, kOut, kCompleted };
  static constexpr uint32_t kSlots = kMaxBuffers + kScratch;

  uint8_t* Address(uint32_t index) const;
  uint32_t IndexOf(const uint8_t* buffer) const;
  uint8_t* TakeFrom(uint32_t first, uint32_t last);
  bool Back(uint32_t index);

  uint8_t* base_ = nullptr;
  uint32_t budget_ = 0;  // buffers
  std::atomic<uint32_t> backed_{0};
  std::atomic<uint32_t> free_{0};
  std::atomic<uint32_t> out_{0};
  std::atomic<uint32_t> hint_{0};
  std::atomic<uint64_t> order_{0};  // of completions
  std::atomic<uint64_t> refused_{0};
  std::atomic<uint64_t> strays_{0};
  std::atomic<uint8_t> state_[kSlots] = {};
  std::atomic<uint64_t> completed_at_[kSlots] = {};
  size_t valid_[kSlots] = {};
};

}  // namespace stepscope::gpu
