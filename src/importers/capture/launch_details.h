// SPDX-License-Identifier: Apache-2.0
//
// LaunchDetails: how kernels were launched and what devices can hold, and what
// follows from both: blocks and warps per multiprocessor, occupancy.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/build/trace_builder.h"

namespace stepscope::capture {

using NamedNumber = std::pair<std::string, int64_t>;

class LaunchDetails {
 public:
  void SetDevice(uint32_t device, std::vector<NamedNumber> properties);
  // A later one with the same id replaces it.
  void SetDetails(uint32_t id, std::vector<NamedNumber> values);
  // `row` was launched on `device` as the details `id`, as they are now, say.
  // Unknown id: it was launched somehow.
  void Use(uint32_t id, uint32_t device, Row row);

  // When all devices are known: adds the arguments of all rows. "grid x",
  // "grid y" and "grid z" become one list "grid".
  void AddArgs(TraceBuilder& builder) const;

 private:
  static int64_t Find(const std::vector<NamedNumber>& numbers,
                      std::string_view name, int64_t otherwise);

  struct Launch {
    Row row;
    uint32_t shape;  // index of shapes_
    uint32_t device;
  };
  void AddShape(const Launch& launch, TraceBuilder& builder) const;
  void AddOccupancy(const Launch& launch, TraceBuilder& builder) const;

  std::map<uint32_t, std::vector<NamedNumber>> devices_;
  std::vector<std::vector<NamedNumber>> shapes_;
  std::map<uint32_t, uint32_t> shape_of_id_;
  std::vector<Launch> launches_;
};

// How many of a launch's blocks one multiprocessor can hold at once; 0: the
// device's limits are not known. By the rules of compute capability 7 to 10:
// registers are given to warps in units of 256, shared memory to blocks in
// units of 128 bytes after 1024 that the system keeps from 8.0 on.
struct BlockLimits {
  int64_t warps = 0;  // per multiprocessor
  int64_t blocks = 0;
  int64_t registers = 0;
  int64_t shared_bytes = 0;
  int64_t capability = 0;  // major
};
int64_t ResidentBlocks(const BlockLimits& limits, int64_t threads,
                       int64_t registers_per_thread, int64_t shared_bytes);

}  // namespace stepscope::capture
