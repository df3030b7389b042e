// SPDX-License-Identifier: Apache-2.0
//
// Settings of torch's caching allocator (PYTORCH_CUDA_ALLOC_CONF), and the
// sizes that follow from them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope::memory {

inline constexpr int64_t kMiB = int64_t{1} << 20;
inline constexpr int64_t kMinBlock = 512;
inline constexpr int64_t kSmallSize = kMiB;         // the most of a small block
inline constexpr int64_t kSmallSegment = 2 * kMiB;  // packed with these
inline constexpr int64_t kLargeSegment = 20 * kMiB;
inline constexpr int64_t kMinLarge = 10 * kMiB;  // has a segment of its own
inline constexpr int64_t kRoundLarge = 2 * kMiB;

struct AllocatorSettings {
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  bool expandable_segments = false;
  int64_t max_split_bytes = kNoLimit;
  double garbage_collection_threshold = 0;  // 0: none
  // By power of two of MiB: up to 2 MiB, 4, ... and above 32 GiB; 0: none.
  std::array<int64_t, 16> roundup_divisions{};

  friend bool operator==(const AllocatorSettings&,
                         const AllocatorSettings&) = default;
};

// The size of a block for so many bytes.
int64_t RoundSize(int64_t bytes, const AllocatorSettings& settings);
// What is reserved for such a block if none is free.
int64_t SegmentSize(int64_t rounded);

// "expandable_segments:True,max_split_size_mb:128", as in the variable: what it
// names is changed in `base`. Fails with what torch would not take either, and
// where a setting is given twice.
Result<AllocatorSettings> ParseSettings(std::string_view text,
                                        AllocatorSettings base = {});
// The way back; empty: all are the defaults.
std::string SettingsText(const AllocatorSettings& settings);

}  // namespace stepscope::memory
