// SPDX-License-Identifier: Apache-2.0
//
// TfTimeline: lays one step of TensorFlow out as a Trace. A process per device
// that executes operators; its rows are bins in which nothing overlaps, not
// host threads (those are arguments). Streams belong to the process of their
// device. Arrows follow the graph where the file has it, and otherwise what
// the labels say.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "importers/proto/proto_importers.h"
#include "importers/proto/recorder.h"
#include "importers/proto/tf_graph.h"
#include "importers/proto/tf_step.h"
#include "importers/proto/tracks.h"

namespace stepscope::proto {

// From the output of one execution to another that takes it.
struct TfEdge {
  TfNode* producer = nullptr;
  int64_t slot = 0;  // -1: control only, no data
  TfNode* consumer = nullptr;
};

class TfTimeline {
 public:
  // `graph` may be empty. All outlive this.
  TfTimeline(const Input& input, TfStep& step, const TfGraph& graph,
             Recorder& out);
  void Build();

 private:
  void AddProcesses();
  uint32_t ProcessOf(const TfDevice& device);
  uint32_t AddProcess(const std::string& name);
  void RemoveDuplicates();
  void PlaceExecutor(TfDevice& device);
  void AddOperator(TfDevice& device, TfNode& node, uint32_t track);
  void AddTransfer(TfNode& node);
  void PlaceStream(TfDevice& device);
  void AddNodeArgs(const TfNode& node, Row row);
  // Arguments that most nodes have, under keys that are made once.
  enum NodeKey { kName, kOp, kThread, kScheduled, kOpStart, kOpEnd, kNodeKeys };
  StringId KeyOf(NodeKey key);
  void AddInt(Row row, NodeKey key, int64_t value);
  void AddText(Row row, StringId key, std::string_view text);
  // The key `prefix` with a number; `keys` are those made before.
  StringId NumberedKey(std::vector<StringId>& keys, const char* prefix,
                       int64_t number);
  void FindEdges();
  void AddEdge(TfNode& consumer, std::string_view input,
               std::string_view device, bool from_label);
  TfNode* Producer(std::string_view device, std::string_view name,
                   const TfNode& consumer) const;
  void AddArrows();
  void AddStep();

  const Input& input_;
  TfStep& step_;
  const TfGraph& graph_;
  Recorder& out_;
  Tracks tracks_;
  std::map<std::string_view, uint32_t> processes_;  // by device
  // Executions by name, in the order of their ends.
  struct Execution {
    std::string_view device;
    TfNode* node = nullptr;
  };
  std::unordered_map<std::string_view, std::vector<Execution>> executions_;
  std::unordered_map<std::string_view, uint64_t> operator_ids_;
  std::vector<TfEdge> edges_;
  std::array<StringId, kNodeKeys> node_keys_;  // empty: not made yet
  std::vector<StringId> input_keys_;           // by number
  std::vector<StringId> output_keys_;
};

}  // namespace stepscope::proto
