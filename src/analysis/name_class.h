// SPDX-License-Identifier: Apache-2.0
//
// What a name says about an event: collective communication, or moving memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_pool.h"

namespace stepscope {

// A host event that is collective or point-to-point communication: Paddle's
// c_allreduce_sum, torch's c10d::allreduce_ and nccl:all_reduce, gloo:*, rpc.
bool IsCollectiveEvent(std::string_view name);
// A kernel of NCCL, RCCL, XCCL and their like, or named after a collective.
bool IsCollectiveKernel(std::string_view name);
// GpuMemcpyAsync:CPU->GPU, BufferedReader:MemoryCopy, ...
bool IsMemoryManipulation(std::string_view name);

// The same by string id, each name looked at once. Not thread-safe.
class NameClasses {
 public:
  explicit NameClasses(const StringPool& strings)
      : strings_(strings), classes_(strings.size(), 0) {}

  bool collective_event(StringId id) { return (Of(id) & kEvent) != 0; }
  bool collective_kernel(StringId id) { return (Of(id) & kKernel) != 0; }
  bool memory_manipulation(StringId id) { return (Of(id) & kMemory) != 0; }

 private:
  static constexpr uint8_t kEvent = 1;
  static constexpr uint8_t kKernel = 2;
  static constexpr uint8_t kMemory = 4;
  static constexpr uint8_t kKnown = 8;

  uint8_t Of(StringId id) {
    return classes_[id.v] != 0 ? classes_[id.v] : Classify(id);
  }
  uint8_t Classify(StringId id);

  const StringPool& strings_;
  std::vector<uint8_t> classes_;
};

}  // namespace stepscope
