// SPDX-License-Identifier: Apache-2.0
//
// PaddleTree: reads Paddle's node-tree protobuf (*.paddle_trace.pb). Records
// are host, runtime and device events, memory events and supplements; nodes
// are mere brackets around them. Nesting is by time, as everywhere, so ids and
// parents are not followed.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "importers/proto/proto_importers.h"
#include "importers/proto/recorder.h"
#include "importers/proto/tracks.h"

namespace stepscope::proto {

class PaddleTree {
 public:
  PaddleTree(const Input& input, TraceBuilder& builder);
  void Read();

 private:
  void ReadThread(Bytes tree);
  void ReadHostNode(Bytes node, uint64_t thread, bool cut);
  Row ReadHostEvent(Bytes event, uint64_t thread, bool cut);
  void ReadRuntimeNode(Bytes node, uint64_t thread);
  void ReadRuntimeEvent(Bytes event, uint64_t thread, bool cut);
  void ReadDeviceEvent(Bytes event, bool cut);
  void ReadDeviceInfo(Row row, uint32_t tag, Bytes info);
  void ReadKernelInfo(Row row, Bytes info);
  void ReadMemoryEvent(Bytes event, uint64_t thread, bool cut);
  void ReadSupplement(Bytes event, Row row, bool cut);
  void ReadExtraInfo(Bytes info);
  void ReadDeviceProperty(Bytes property);
  void FinishProcesses();

  // The index of the process, which is made when it is first met.
  uint32_t ProcessOf(uint64_t pid);

  const Input& input_;
  Recorder out_;
  Tracks tracks_;
  std::map<uint64_t, uint32_t> processes_;
  uint64_t last_pid_ = 0;
  uint32_t last_process_ = 0;
  std::vector<std::pair<std::string, std::string>> extra_;
  std::string device_properties_;  // JSON, as Paddle's JSON files have it
  std::string version_;
  uint64_t span_index_ = 0;
};

// {"input": [dims, ...]} and {"input": ["float32", ...]} of a supplement.
std::string ShapesAsJson(Bytes shapes);
std::string DtypesAsJson(Bytes dtypes);

}  // namespace stepscope::proto
