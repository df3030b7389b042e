// SPDX-License-Identifier: Apache-2.0
//
// What the writer knows of the capture of the session that records, so that a
// window is found without reading what is older. Each block is looked at once,
// when a window is first copied after it was written.
#pragma once

#include <cstdint>

#include "collector/core.h"
#include "collector/late_ends.h"
#include "collector/window_marks.h"

namespace stepscope::collector {

class WindowIndex {
 public:
  static constexpr uint32_t kPins = 4096;
  static constexpr uint32_t kMostNeeded = LateEnds::kEntries + kPins + 1;

  // The file is another.
  void Clear();

  // The block at `offset` belongs to every window.
  void Pin(uint64_t offset) {
    if (pin_count_ < kPins) pins_[pin_count_] = offset;
    ++pin_count_;
  }

  // The mark from which on the file must be searched for a window from tick
  // `from`; null: from its beginning.
  const WindowMark* StartOf(uint64_t from) const;
  // The blocks before byte `start` that such a window needs too, in order.
  // `out` has room for kMostNeeded.
  uint32_t NeededBefore(uint64_t start, uint64_t from, uint64_t* out);

  WindowMarks marks;
  LateEnds ends;
  uint64_t surveyed = 0;   // bytes of the file that were looked at
  uint64_t counts_at = 0;  // last Device block with counts
  bool has_devices = false;

 private:
  uint32_t pin_count_ = 0;
  uint64_t pins_[kPins] = {};
};

// Of the session that records. Writer thread only.
WindowIndex& IndexOf(const Session& session);

}  // namespace stepscope::collector
