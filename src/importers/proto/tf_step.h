// SPDX-License-Identifier: Apache-2.0
//
// TfStep: TensorFlow's step statistics as they are in the file. Views point
// into its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/proto/recorder.h"
#include "importers/proto/tf_labels.h"

namespace stepscope::proto {

struct TfTensor {
  int64_t slot = 0;
  uint64_t dtype = 0;
  Bytes shape;
  bool shaped = false;
  int64_t bytes = 0;  // requested, else allocated
  std::string_view allocator;
  uint64_t pointer = 0;
};

struct TfAllocation {
  std::string_view allocator;
  int64_t time_ns = 0;
  int64_t bytes = 0;  // negative: freed
};

// One execution of a node.
struct TfNode {
  std::string_view name;
  std::string_view label;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t op_start_ns = 0;  // relative to start_ns
  int64_t op_end_ns = 0;
  int64_t scheduled_ns = 0;  // 0: unknown
  uint64_t thread = 0;       // 0: unknown
  bool persistent = false;   // its output outlives the step
  Bytes record;
  std::vector<TfTensor> outputs;
  std::vector<TfAllocation> allocations;
  // Set when it is placed on the timeline.
  uint32_t track = 0;
  Row row = kNoRow;
};

struct TfDevice {
  std::string_view name;
  DeviceName parsed;
  std::vector<TfNode> nodes;
  std::vector<std::pair<uint64_t, std::string_view>> thread_names;
};

struct TfStep {
  std::vector<TfDevice> devices;
};

// Reads StepStats. Nodes that cannot be used are counted as rejected in `out`;
// the others are to be counted by who adds them.
TfStep ReadTfStep(Bytes step_stats, Recorder& out);

// "[32,3]" of a shape; "?" for an unknown dimension or rank.
std::string ShapeText(Bytes shape);

}  // namespace stepscope::proto
