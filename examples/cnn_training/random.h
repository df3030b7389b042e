// SPDX-License-Identifier: Apache-2.0
//
// A small random generator with the same numbers on every platform (the
// distributions of <random> differ between standard libraries).
#pragma once

#include <cstdint>

namespace cnn {

// SplitMix64. Not thread-safe; cheap enough to make one for each use.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // An independent stream for item `index` of stream `seed`.
  Random(uint64_t seed, uint64_t index) : state_(seed) {
    state_ = Next() ^ (index * 0xD1B54A32D192ED03ULL);
  }

  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  // Uniform in [low, high).
  float Uniform(float low, float high) {
    const float unit = static_cast<float>(Next() >> 40) * 0x1p-24F;
    return low + (high - low) * unit;
  }
  // Uniform in [0, bound). REQUIRES: bound > 0.
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(Next() % static_cast<uint64_t>(bound));
  }

 private:
  uint64_t state_;
};

}  // namespace cnn
