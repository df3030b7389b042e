// SPDX-License-Identifier: Apache-2.0
//
// TfEdges: what depends on what in a step. By the graph where the file has it,
// and otherwise by what the labels say.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "importers/proto/recorder.h"
#include "importers/tensorflow/graph.h"
#include "importers/tensorflow/step.h"

namespace stepscope::proto::tf {

// From the output of one execution to another that takes it.
struct TfEdge {
  TfNode* producer = nullptr;
  int64_t slot = 0;  // -1: control only, no data
  TfNode* consumer = nullptr;
};

class TfEdges {
 public:
  // All outlive this. REQUIRES: the nodes have been placed.
  TfEdges(TfStep& step, const TfGraph& graph, Recorder& out)
      : step_(step), graph_(graph), out_(out) {}

  void Find();
  void AddArrows();
  const std::vector<TfEdge>& edges() const { return edges_; }

 private:
  // A device by name, and its number. 0 has no name and stands for any.
  struct Place {
    std::string_view device;
    uint32_t number = 0;
  };
  // An input by the numbers of operators that may produce it; 0: there is none.
  struct Input {
    uint32_t op = 0;
    uint32_t sender = 0;  // who sent it, if the name is that of a receiver
    int64_t slot = 0;
  };
  struct Execution {
    TfNode* node = nullptr;
    uint32_t device = 0;
  };

  uint32_t FindOp(std::string_view name) const;
  Input Resolve(std::string_view input) const;
  Place PlaceOf(std::string_view device);
  bool ResolveInputs();
  void CollectExecutions();
  void AddEdges(TfNode& node, const Place& place);
  void AddEdge(TfNode& consumer, std::string_view text, Input input,
               const Place& place, bool from_label);
  TfNode* ThroughTransfers(const TfNode& consumer, std::string_view text,
                           Place place, Input* input);
  TfNode* Producer(uint32_t device, uint32_t op, const TfNode& consumer) const;

  TfStep& step_;
  const TfGraph& graph_;
  Recorder& out_;
  std::map<std::string_view, uint32_t> devices_;
  std::vector<Input> inputs_;  // as TfStep::inputs
  std::vector<bool> wanted_;   // by operator: it may be somebody's input
  // Executions of those, by operator and in the order of their ends; those of
  // number i begin at first_[i].
  std::vector<Execution> executions_;
  std::vector<size_t> first_;
  std::vector<TfEdge> edges_;
};

}  // namespace stepscope::proto::tf
