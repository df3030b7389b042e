// SPDX-License-Identifier: Apache-2.0
#include "collector/window_index.h"

#include <algorithm>

#include "format/block.h"

namespace stepscope::collector {
namespace {

constinit WindowIndex window_index{};  // bss: pages appear as they are used
uint64_t indexed_session = 0;

}  // namespace

void WindowIndex::Clear() {
  marks.Clear();
  ends.Clear();
  surveyed = sizeof(format::FileHeader);
  counts_at = 0;
  has_devices = false;
  pin_count_ = 0;
}

const WindowMark* WindowIndex::StartOf(uint64_t from) const {
  const WindowMark* mark = marks.Before(from);
  if (mark == nullptr || pin_count_ > kPins || ends.Forgot(from, mark->bytes))
    return nullptr;
  return mark;
}

uint32_t WindowIndex::NeededBefore(uint64_t start, uint64_t from,
                                   uint64_t* out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < pin_count_; ++i)
    if (pins_[i] < start) out[count++] = pins_[i];
  if (counts_at != 0 && counts_at < start) out[count++] = counts_at;
  ends.ForEach([&](const LateEnds::Entry& entry) {
    const bool needed = entry.has_begin ? entry.end == 0 || entry.end >= from
                                        : entry.stays || entry.end >= from;
    if (needed && entry.block < start) out[count++] = entry.block;
  });
  std::sort(out, out + count);
  return static_cast<uint32_t>(std::unique(out, out + count) - out);
}

WindowIndex& IndexOf(const Session& session) {
  if (indexed_session != session.id) {
    window_index.Clear();
    indexed_session = session.id;
  }
  return window_index;
}

}  // namespace stepscope::collector
