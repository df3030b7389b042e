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

constinit std::atomic<bool> Ring::can_populate_{true};

bool Ring::Populate(std::byte* begin, uint64_t bytes) {
  if (can_populate_.load(std::memory_order_relaxed)) {
    while (madvise(begin, bytes, MADV_POPULATE_WRITE) != 0)
      if (errno != EINTR && errno != EAGAIN) return false;
    return true;
  }
  for (uint64_t at = 0; at < bytes; at += 4096) {
    auto* word = reinterpret_cast<uint64_t*>(begin + at);
    __atomic_fetch_or(word, uint64_t{0}, __ATOMIC_RELAXED);
  }
  return true;
}

// For kernels before 5.14: what is touched later has its room from the start.
bool Ring::ReserveAll() {
  const int fd = file_.Use();
  const auto bytes = static_cast<off_t>(sizes_.total_bytes);
  if (fallocate(fd, 0, 0, bytes) == 0) return true;
  if (errno != EOPNOTSUPP) return false;
  // No fallocate here (some network file systems): writing reserves too.
  static const char zeros[65536] = {};
  for (off_t at = 0; at < bytes;) {
    const auto n = std::min<off_t>(bytes - at, sizeof(zeros));
    const ssize_t done = pwrite(fd, zeros, static_cast<size_t>(n), at);
    if (done <= 0) return false;
    at += done;
  }
  return true;
}

// Chunks that the caller alone has claimed. False: no room; they are out of
// use, and no more are asked for.
bool Ring::MakeReady(uint32_t index, uint32_t count) {
  auto* begin = reinterpret_cast<std::byte*>(chunk(index));
  if (!Populate(begin, uint64_t{count} * kChunkBytes)) {
    SetLastError("%s: only %u of %u chunks could be reserved: %s", path_,
                 ready_count_.load(std::memory_order_relaxed), sizes_.chunks,
                 strerror(errno));
    wanted_.store(0, std::memory_order_relaxed);
    return false;
  }
  for (uint32_t i = 0; i < count; ++i)
    ready_[index + i].store(1, std::memory_order_release);
  ready_count_.fetch_add(count, std::memory_order_relaxed);
  return true;
}

// The caller faults its chunk in by itself: nobody waits for anybody else.
uint32_t Ring::TakeFresh() {
  uint32_t index = fresh_.load(std::memory_order_relaxed);
  do {
    if (index >= wanted_.load(std::memory_order_relaxed)) return kNone;
  } while (!fresh_.compare_exchange_weak(index, index + 1,
                                         std::memory_order_relaxed));
  return MakeReady(index, 1) ? index : kNone;
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
  for (uint32_t n = 0; n < kStepChunks;) {
    uint32_t index = fresh_.load(std::memory_order_relaxed);
    if (index >= wanted_.load(std::memory_order_relaxed)) return false;
    const uint32_t run = RunAt(index);
    if (!fresh_.compare_exchange_strong(index, index + run,
                                        std::memory_order_relaxed))
      continue;
    if (!MakeReady(index, run)) return false;
    // One walk of the page table then finds 32 chunks, and a shorter one. Needs
    // Linux 6.1 and shared memory; elsewhere the pages stay small.
    if (run > 1 && madvise(chunk(index), kHugePage, MADV_COLLAPSE) != 0)
      no_huge_ = errno == EINVAL;
    for (uint32_t i = run; i > 0; --i) free_.Push(next_, index + i - 1);
    n += run;
  }
  return true;
}

}  // namespace stepscope::collector
