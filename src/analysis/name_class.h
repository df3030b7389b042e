// SPDX-License-Identifier: Apache-2.0
//
// What a name says about an event: collective communication, moving memory,
// waiting for the device, launching, matrix arithmetic, tensor cores.
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
// Communication that the host does by itself: gloo, MPI, rpc.
bool IsHostSideCollective(std::string_view name);
// An API call that returns only when the device has done its work:
// cudaStreamSynchronize, cudaMemcpy (not cudaMemcpyAsync).
bool IsSyncCall(std::string_view name);
// An API call that puts a kernel or a graph of them into a queue.
bool IsLaunchCall(std::string_view name);
// A kernel that multiplies matrices or convolves.
bool IsMatrixKernel(std::string_view name);
// Such a kernel that uses tensor cores. By name, so an estimate: rules for
// Volta to Hopper, and the libraries' own families (nvjet, flash attention).
bool IsTensorCoreKernel(std::string_view name);
// A kernel of AMD's libraries, whose name does not say whether it uses matrix
// cores.
bool IsTensorCoreUnknown(std::string_view name);

// The same by string id, each name looked at once. Not thread-safe.
class NameClasses {
 public:
  explicit NameClasses(const StringPool& strings)
      : strings_(strings), classes_(strings.size(), 0) {}

  bool collective_event(StringId id) { return (Of(id) & kEvent) != 0; }
  bool collective_kernel(StringId id) { return (Of(id) & kKernel) != 0; }
  bool memory_manipulation(StringId id) { return (Of(id) & kMemory) != 0; }
  bool host_side_collective(StringId id) { return (Of(id) & kOnHost) != 0; }
  bool sync_call(StringId id) { return (Of(id) & kSync) != 0; }
  bool launch_call(StringId id) { return (Of(id) & kLaunch) != 0; }
  bool matrix_kernel(StringId id) { return (Of(id) & kMatrix) != 0; }
  bool tensor_core_kernel(StringId id) { return (Of(id) & kTensor) != 0; }

 private:
  static constexpr uint16_t kEvent = 1;
  static constexpr uint16_t kKernel = 2;
  static constexpr uint16_t kMemory = 4;
  static constexpr uint16_t kKnown = 8;
  static constexpr uint16_t kSync = 16;
  static constexpr uint16_t kLaunch = 32;
  static constexpr uint16_t kMatrix = 64;
  static constexpr uint16_t kTensor = 128;
  static constexpr uint16_t kOnHost = 256;

  uint16_t Of(StringId id) {
    return classes_[id.v] != 0 ? classes_[id.v] : Classify(id);
  }
  uint16_t Classify(StringId id);

  const StringPool& strings_;
  std::vector<uint16_t> classes_;
};

// A kernel's name without its argument list, if it has a template list before
// that: `void f<int>(int*)` is shown as `void f<int>`.
std::string_view WithoutArguments(std::string_view kernel);

}  // namespace stepscope
