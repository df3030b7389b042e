// SPDX-License-Identifier: Apache-2.0
#include "snapshot/file_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace stepscope {

void FilePages::Add(std::span<const std::byte> bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t before =
      (page - reinterpret_cast<uintptr_t>(bytes.data()) % page) % page;
  if (bytes.size() < before + page) return;
  bytes = bytes.subspan(before, (bytes.size() - before) / page * page);
  const std::lock_guard lock(mutex_);
  ranges_.push_back(bytes);
}

void FilePages::GiveBack() const {
  const std::lock_guard lock(mutex_);
  for (const std::span<const std::byte> range : ranges_) {
    // Where it is refused, they stay; nothing is wrong then.
    static_cast<void>(madvise(const_cast<std::byte*>(range.data()),
                              range.size(), MADV_DONTNEED));
  }
}

}  // namespace stepscope
