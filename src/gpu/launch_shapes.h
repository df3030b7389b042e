// SPDX-License-Identifier: Apache-2.0
//
// LaunchShapes: numbers the distinct launch configurations of a session, so
// that a kernel's record names its configuration instead of repeating it.
// Bounded: beyond kMax distinct ones each launch gets a number of its own.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace stepscope::gpu {

struct LaunchShape {
  // Grid, block and cluster: x, y, z each.
  int32_t grid[3];
  int32_t block[3];
  int32_t cluster[3];
  int32_t registers;
  int32_t static_shared;
  int32_t dynamic_shared;
  int32_t local_per_thread;
};

class LaunchShapes {
 public:
  static constexpr uint32_t kMax = 1u << 14;

  void Clear() {
    slots_.assign(kMax * 2, {});
    known_ = 0;
    last_ = 0;
  }

  // The number of `shape`, from 1; `*fresh`: it must be written first.
  uint32_t Of(const LaunchShape& shape, bool* fresh) {
    uint32_t at = Hash(shape) % (kMax * 2);
    while (slots_[at].id != 0) {
      if (std::memcmp(&slots_[at].shape, &shape, sizeof(shape)) == 0) {
        *fresh = false;
        return slots_[at].id;
      }
      at = (at + 1) % (kMax * 2);
    }
    *fresh = true;
    ++last_;
    if (known_ < kMax) {
      slots_[at] = {last_, shape};
      ++known_;
    }
    return last_;
  }

 private:
  struct Slot {
    uint32_t id = 0;
    LaunchShape shape = {};
  };
  static uint32_t Hash(const LaunchShape& shape) {
    uint32_t words[sizeof(shape) / 4];
    std::memcpy(words, &shape, sizeof(shape));
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (const uint32_t word : words) {
      hash = (hash ^ word) * 0x9fb21c651e98df25u;
      hash ^= hash >> 29;
    }
    return static_cast<uint32_t>(hash ^ (hash >> 32));
  }

  std::vector<Slot> slots_;
  uint32_t known_ = 0;
  uint32_t last_ = 0;
};

}  // namespace stepscope::gpu
