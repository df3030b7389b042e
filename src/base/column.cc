// SPDX-License-Identifier: Apache-2.0
#include "base/column.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace stepscope {
namespace {

// Below this the allocator is cheaper than a mapping of its own.
constexpr size_t kMapFrom = size_t{128} << 10;
// From one huge page on they halve the cost of first touch.
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kHugeFrom = kHugePage;
constexpr size_t kPage = 4096;

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) & ~(to - 1); }

void* Map(size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? nullptr : data;
}

// A mapping that starts on a huge page: asks for one page too many and gives
// the ends back.
void* MapHuge(size_t bytes) {
  auto* raw = static_cast<char*>(Map(bytes + kHugePage));
  if (raw == nullptr) return nullptr;
  const size_t head =
      static_cast<size_t>(RoundUp(reinterpret_cast<uintptr_t>(raw), kHugePage) -
                          reinterpret_cast<uintptr_t>(raw));
  if (head > 0) munmap(raw, head);
  if (kHugePage > head) munmap(raw + head + bytes, kHugePage - head);
  // Advice only: without huge pages the column is slower, not wrong.
  static_cast<void>(madvise(raw + head, bytes, MADV_HUGEPAGE));
  return raw + head;
}

size_t MappedBytes(size_t bytes) {
  return RoundUp(bytes, bytes >= kHugeFrom ? kHugePage : kPage);
}

}  // namespace

void* MapColumn(size_t bytes) {
  if (bytes == 0 || bytes > SIZE_MAX / 2) return nullptr;
  if (bytes < kMapFrom) return std::calloc(1, bytes);
  const size_t mapped = MappedBytes(bytes);
  return bytes >= kHugeFrom ? MapHuge(mapped) : Map(mapped);
}

void* GrowColumn(void* data, size_t bytes, size_t new_bytes) {
  void* const grown = MapColumn(new_bytes);
  if (grown == nullptr || data == nullptr) return grown;
  // Takes the place of the first pages there; the old ones are gone with it.
  // Huge pages stay whole, because both mappings begin on one.
  if (bytes >= kMapFrom &&
      mremap(data, MappedBytes(bytes), MappedBytes(bytes),
             MREMAP_MAYMOVE | MREMAP_FIXED, grown) == grown)
    return grown;
  std::memcpy(grown, data, std::min(bytes, new_bytes));
  UnmapColumn(data, bytes);
  return grown;
}

void UnmapColumn(void* data, size_t bytes) {
  if (data == nullptr) return;
  if (bytes < kMapFrom) {
    std::free(data);
  } else {
    munmap(data, MappedBytes(bytes));
  }
}

}  // namespace stepscope
