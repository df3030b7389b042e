// SPDX-License-Identifier: Apache-2.0
//
// How a ring grows: space is reserved in the file system and pages are faulted
// in ahead of the threads that record.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "collector/error.h"
#include "collector/ring.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace stepscope::collector {
namespace {

using format::kChunkBytes;

constexpr uint32_t kStepChunks = 64;
constexpr uint32_t kHugeChunks = kHugePage / kChunkBytes;
// A smaller ring keeps small pages: while a huge page is made, a quarter of it
// would be out of reach.
constexpr uint32_t kMinHugeRing = 4 * kHugeChunks;

}  // namespace

// Faults pages in so that recording threads do not. Touching is safe: the
// space is reserved.
void Ring::Populate(std::byte* begin, uint64_t bytes) {
  if (madvise(begin, bytes, MADV_POPULATE_WRITE) == 0) return;
  for (uint64_t at = 0; at < bytes; at += 4096) {
    auto* word = reinterpret_cast<uint64_t*>(begin + at);
    __atomic_fetch_or(word, uint64_t{0}, __ATOMIC_RELAXED);
  }
}

bool Ring::Reserve(uint64_t offset, uint64_t bytes) {
  for (;;) {
    if (fallocate(fd_, 0, static_cast<off_t>(offset),
                  static_cast<off_t>(bytes)) == 0)
      return true;
    if (errno == EINTR) continue;
    if (errno != EOPNOTSUPP) return false;
    // No fallocate here (some network file systems): writing reserves too.
    static const char zeros[65536] = {};
    for (uint64_t at = 0; at < bytes;) {
      const uint64_t n = std::min<uint64_t>(bytes - at, sizeof(zeros));
      const ssize_t done = pwrite(fd_, zeros, n,
                                  static_cast<off_t>(offset + at));
      if (done <= 0) return false;
      at += static_cast<uint64_t>(done);
    }
    return true;
  }
}

uint32_t Ring::TakeFresh() {
  uint32_t index = fresh_.load(std::memory_order_relaxed);
  while (index < reserved_.load(std::memory_order_acquire)) {
    if (fresh_.compare_exchange_weak(index, index + 1,
                                     std::memory_order_relaxed))
      return index;
  }
  return kNone;
}

// One thread at a time; the others find out by the free list.
bool Ring::ReserveChunks(uint32_t count) {
  const uint32_t wanted = wanted_.load(std::memory_order_relaxed);
  if (reserved_.load(std::memory_order_relaxed) >= wanted) return false;
  if (reserving_.exchange(true, std::memory_order_acquire)) return false;
  const uint32_t reserved = reserved_.load(std::memory_order_relaxed);
  const uint32_t step = std::min(count, wanted - reserved);
  const uint64_t offset =
      sizes_.chunks_offset + uint64_t{reserved} * kChunkBytes;
  const bool done =
      step > 0 && Reserve(offset, uint64_t{step} * kChunkBytes);
  if (done) {
    reserved_.store(reserved + step, std::memory_order_release);
  } else if (step > 0) {
    SetLastError("%s: only %u of %u chunks could be reserved: %s", path_,
                 reserved, wanted, strerror(errno));
    wanted_.store(reserved, std::memory_order_relaxed);  // make do with these
  }
  reserving_.store(false, std::memory_order_release);
  return done;
}

// How many chunks from `index` on are made ready together: those of a huge
// page, and with the last one the few behind it.
uint32_t Ring::RunAt(uint32_t index) const {
  const uint32_t wanted = wanted_.load(std::memory_order_relaxed);
  const uint64_t offset = sizes_.chunks_offset + uint64_t{index} * kChunkBytes;
  if (no_huge_ || wanted < kMinHugeRing || offset % kHugePage != 0 ||
      wanted - index < kHugeChunks)
    return 1;
  return wanted - index < 2 * kHugeChunks ? wanted - index : kHugeChunks;
}

bool Ring::GrowStep() {
  ReserveChunks(kStepChunks);
  for (uint32_t n = 0; n < kStepChunks;) {
    const uint32_t reserved = reserved_.load(std::memory_order_relaxed);
    uint32_t index = fresh_.load(std::memory_order_relaxed);
    if (index >= reserved)
      return reserved < wanted_.load(std::memory_order_relaxed);
    const uint32_t run = RunAt(index);
    if (index + run > reserved) return true;
    if (!fresh_.compare_exchange_strong(index, index + run,
                                        std::memory_order_relaxed))
      continue;
    auto* begin = reinterpret_cast<std::byte*>(chunk(index));
    // One walk of the page table then finds 32 chunks, and a shorter one. Needs
    // Linux 6.1 and shared memory; elsewhere the pages stay small.
    if (run > 1 && madvise(begin, kHugePage, MADV_COLLAPSE) != 0)
      no_huge_ = errno == EINVAL;
    Populate(begin, uint64_t{run} * kChunkBytes);
    for (uint32_t i = run; i > 0; --i) free_.Push(next_, index + i - 1);
    n += run;
  }
  return true;
}

}  // namespace stepscope::collector
