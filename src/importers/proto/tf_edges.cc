// SPDX-License-Identifier: Apache-2.0
//
// The part of TfTimeline that finds out what depends on what.
#include <algorithm>

#include "importers/proto/tf_timeline.h"

namespace stepscope::proto {
namespace {

using Role = DeviceName::Role;

// Arrows of one consumer that can be told apart.
constexpr uint64_t kMaxInputs = 1 << 16;
// Senders and receivers in a row; more are damage.
constexpr int kMaxHops = 8;

}  // namespace

void TfTimeline::FindEdges() {
  for (TfDevice& device : step_.devices) {
    if (device.parsed.role != Role::kExecutor) continue;
    for (TfNode& node : device.nodes)
      if (node.row != kNoRow)
        executions_[node.name].push_back({device.name, &node});
  }
  for (auto& [name, all] : executions_) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Execution& a, const Execution& b) {
                       return a.node->end_ns < b.node->end_ns;
                     });
  }
  for (TfDevice& device : step_.devices) {
    if (device.parsed.role != Role::kExecutor) continue;
    for (TfNode& node : device.nodes) {
      if (node.row == kNoRow || node.name == "RecvTensor") continue;
      const TfGraph::Node* const defined = graph_.Find(device.name, node.name);
      if (defined == nullptr) {
        for (const std::string_view input : ParseOpLabel(node.label).inputs)
          AddEdge(node, input, device.name, true);
        continue;
      }
      for (const std::string_view input : defined->inputs)
        AddEdge(node, input, device.name, false);
      if (defined->sender != nullptr)
        AddEdge(node, defined->sender->name, defined->sender->device, false);
    }
  }
}

void TfTimeline::AddEdge(TfNode& consumer, std::string_view input,
                         std::string_view device, bool from_label) {
  InputName parsed = ParseInput(input);
  const bool control = parsed.slot < 0;
  TfNode* producer = Producer(device, parsed.node, consumer);
  // Senders and receivers within a process are not timed: what they pass on
  // comes from the sender's input.
  for (int hops = 0; producer == nullptr && hops < kMaxHops; ++hops) {
    const TfGraph::Node* const defined = graph_.Find(device, parsed.node);
    const TfGraph::Node* const sender =
        defined == nullptr ? nullptr : defined->sender;
    if (sender == nullptr) break;
    device = sender->device;
    producer = Producer(device, sender->name, consumer);
    if (producer != nullptr || sender->inputs.empty()) break;
    parsed = ParseInput(sender->inputs.front());
    producer = Producer(device, parsed.node, consumer);
  }
  if (producer == nullptr && from_label) {
    // What arrived through a sender and a receiver has a suffix: "x/_289".
    const size_t suffix = parsed.node.rfind("/_");
    producer = Producer({}, parsed.node.substr(0, suffix), consumer);
  }
  if (producer != nullptr)
    edges_.push_back({producer, control ? -1 : parsed.slot, &consumer});
}

// The last execution that ended before the consumer began: loops execute a
// node many times. An empty device stands for any.
TfNode* TfTimeline::Producer(std::string_view device, std::string_view name,
                             const TfNode& consumer) const {
  const auto found = executions_.find(name);
  if (found == executions_.end()) return nullptr;
  const std::vector<Execution>& all = found->second;
  auto it = std::upper_bound(all.begin(), all.end(), consumer.start_ns,
                             [](int64_t time, const Execution& execution) {
                               return time < execution.node->end_ns;
                             });
  // As a rule the first is the one; a name on many devices is not searched
  // for long.
  for (int tries = 0; it != all.begin() && tries < 64; ++tries) {
    --it;
    if (it->node != &consumer && (device.empty() || it->device == device))
      return it->node;
  }
  // A receiver starts to wait before its sender is done.
  for (const Execution& execution : all) {
    if (execution.device == device && execution.node != &consumer &&
        execution.node->start_ns <= consumer.end_ns)
      return execution.node;
    if (&execution - all.data() >= 64) break;
  }
  return nullptr;
}

void TfTimeline::AddArrows() {
  TraceBuilder& builder = out_.builder();
  std::string name;
  uint64_t nth = 0;
  const TfNode* last = nullptr;
  for (const TfEdge& edge : edges_) {
    nth = edge.consumer == last ? nth + 1 : 0;
    last = edge.consumer;
    // Within a row the order is plain to see.
    if (edge.producer->track == edge.consumer->track || nth >= kMaxInputs)
      continue;
    name = edge.slot < 0 ? "^" : "";
    name += edge.producer->name;
    if (edge.slot > 0) {
      name += ':';
      name += std::to_string(edge.slot);
    }
    const StringId text = out_.Intern(name);
    // A row is an id that no other consumer of the trace has.
    const uint64_t id = uint64_t{edge.consumer->row} * kMaxInputs + nth;
    const int64_t consumed = builder.start_ns(edge.consumer->row);
    const int64_t produced = builder.start_ns(edge.producer->row) +
                             builder.dur_ns(edge.producer->row);
    // A receiver that waits begins before there is something to receive.
    const int64_t arrives =
        produced <= consumed
            ? consumed
            : std::min(produced, consumed + builder.dur_ns(edge.consumer->row));
    builder.AddFlow({std::min(produced, arrives), id, text,
                     edge.producer->track, FlowPhase::kBegin});
    builder.AddFlow({arrives, id, text, edge.consumer->track, FlowPhase::kEnd});
  }
}

}  // namespace stepscope::proto
