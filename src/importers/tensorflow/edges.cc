// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/edges.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace stepscope::proto::tf {
namespace {

using Role = DeviceName::Role;

// Arrows of one consumer that can be told apart.
constexpr uint64_t kMaxInputs = 1 << 16;
// Senders and receivers in a row; more are damage.
constexpr int kMaxHops = 8;
// Executions that are looked at before a search is given up.
constexpr int kMaxTries = 64;

}  // namespace

void TfEdges::Find() {
  if (!ResolveInputs()) return;
  CollectExecutions();
  for (TfDevice& device : step_.devices) {
    if (device.parsed.role != Role::kExecutor) continue;
    const Place place = PlaceOf(device.name);
    for (const std::span<TfNode> part : device.parts)
      for (TfNode& node : part)
        if (node.row != kNoRow) AddEdges(node, place);
  }
}

uint32_t TfEdges::FindOp(std::string_view name) const {
  return step_.ops.Find(name, out_.builder().strings());
}

TfEdges::Input TfEdges::Resolve(std::string_view input) const {
  const auto [node, slot] = ParseInput(input);
  // What arrived through a sender and a receiver has a suffix: "x/_289".
  const size_t suffix = node.rfind("/_");
  const uint32_t op = FindOp(node);
  return {op, suffix == node.npos ? op : FindOp(node.substr(0, suffix)), slot};
}

TfEdges::Place TfEdges::PlaceOf(std::string_view device) {
  if (device.empty()) return {};
  const auto [it, fresh] = devices_.try_emplace(device, devices_.size() + 1);
  return {device, it->second};
}

// False if nothing is there that could have an edge.
bool TfEdges::ResolveInputs() {
  const bool graph = !graph_.empty();
  bool some = graph;
  wanted_.assign(step_.ops.count() + 1, graph);
  inputs_.reserve(step_.inputs.size());
  for (const std::string_view input : step_.inputs) {
    inputs_.push_back(Resolve(input));
    for (const uint32_t op : {inputs_.back().op, inputs_.back().sender}) {
      wanted_[op] = true;
      some |= op != 0;
    }
  }
  return some;
}

void TfEdges::CollectExecutions() {
  const auto for_each = [this](auto visit) {
    for (TfDevice& device : step_.devices) {
      if (device.parsed.role != Role::kExecutor) continue;
      const Place place = PlaceOf(device.name);
      for (const std::span<TfNode> part : device.parts)
        for (TfNode& node : part)
          if (node.row != kNoRow && wanted_[node.text->op])
            visit(node, place.number);
    }
  };
  std::vector<size_t> next(wanted_.size() + 1, 0);
  for_each([&](TfNode& node, uint32_t) { ++next[node.text->op + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  first_ = next;
  executions_.resize(next.back());
  for_each([&](TfNode& node, uint32_t device) {
    executions_[next[node.text->op]++] = {&node, device};
  });
  const auto by_end = [](const Execution& a, const Execution& b) {
    return a.node->end_ns < b.node->end_ns;
  };
  for (size_t op = 0; op + 1 < first_.size(); ++op) {
    const auto begin = executions_.begin() + static_cast<ptrdiff_t>(first_[op]);
    const auto end =
        executions_.begin() + static_cast<ptrdiff_t>(first_[op + 1]);
    if (!std::is_sorted(begin, end, by_end))
      std::stable_sort(begin, end, by_end);
  }
}

void TfEdges::AddEdges(TfNode& node, const Place& place) {
  const TfText& text = *node.text;
  const TfGraph::Node* const defined = text.defined;
  for (uint32_t i = 0; i < text.inputs_count; ++i) {
    const size_t index = text.inputs_first + i;
    AddEdge(node, step_.inputs[index], inputs_[index], place,
            defined == nullptr);
  }
  if (defined != nullptr && defined->sender != nullptr &&
      text.name != "RecvTensor")
    AddEdge(node, defined->sender->name, Resolve(defined->sender->name),
            PlaceOf(defined->sender->device), false);
}

void TfEdges::AddEdge(TfNode& consumer, std::string_view text, Input input,
                      const Place& place, bool from_label) {
  const bool control = input.slot < 0;
  TfNode* producer = Producer(place.number, input.op, consumer);
  if (producer == nullptr && !graph_.empty())
    producer = ThroughTransfers(consumer, text, place, &input);
  if (producer == nullptr && from_label)
    producer = Producer(0, input.sender, consumer);
  if (producer != nullptr)
    edges_.push_back({producer, control ? -1 : input.slot, &consumer});
}

// Senders and receivers within a process are not timed: what they pass on
// comes from the sender's input.
TfNode* TfEdges::ThroughTransfers(const TfNode& consumer, std::string_view text,
                                  Place place, Input* input) {
  std::string_view node = ParseInput(text).node;
  for (int hops = 0; hops < kMaxHops; ++hops) {
    const TfGraph::Node* const defined = graph_.Find(place.device, node);
    const TfGraph::Node* const sender =
        defined == nullptr ? nullptr : defined->sender;
    if (sender == nullptr) return nullptr;
    place = PlaceOf(sender->device);
    TfNode* producer = Producer(place.number, FindOp(sender->name), consumer);
    if (producer != nullptr || sender->inputs.empty()) return producer;
    *input = Resolve(sender->inputs.front());
    node = ParseInput(sender->inputs.front()).node;
    producer = Producer(place.number, input->op, consumer);
    if (producer != nullptr) return producer;
  }
  return nullptr;
}

// The last execution that ended before the consumer began: loops execute a
// node many times.
TfNode* TfEdges::Producer(uint32_t device, uint32_t op,
                          const TfNode& consumer) const {
  const std::span<const Execution> all(executions_.data() + first_[op],
                                       first_[op + 1] - first_[op]);
  auto it = std::upper_bound(all.begin(), all.end(), consumer.start_ns,
                             [](int64_t time, const Execution& execution) {
                               return time < execution.node->end_ns;
                             });
  // As a rule the first is the one; a name on many devices is not searched
  // for long.
  for (int tries = 0; it != all.begin() && tries < kMaxTries; ++tries) {
    --it;
    if (it->node != &consumer && (device == 0 || it->device == device))
      return it->node;
  }
  // A receiver starts to wait before its sender is done.
  for (const Execution& execution : all) {
    if (execution.device == device && execution.node != &consumer &&
        execution.node->start_ns <= consumer.end_ns)
      return execution.node;
    if (&execution - all.data() >= kMaxTries) break;
  }
  return nullptr;
}

void TfEdges::AddArrows() {
  TraceBuilder& builder = out_.builder();
  std::string name;
  uint64_t nth = 0;
  const TfNode* last = nullptr;
  for (const TfEdge& edge : edges_) {
    nth = edge.consumer == last ? nth + 1 : 0;
    last = edge.consumer;
    const Row from = edge.producer->row;
    const Row to = edge.consumer->row;
    // Within a row of the timeline the order is plain to see.
    if (builder.track_of(from) == builder.track_of(to) || nth >= kMaxInputs)
      continue;
    StringId text = edge.producer->text->name_id;
    if (edge.slot != 0) {
      name.assign(edge.slot < 0 ? 1 : 0, '^');
      name += edge.producer->text->name;
      if (edge.slot > 0) name += ':';
      if (edge.slot > 0) name += std::to_string(edge.slot);
      text = out_.Intern(name);
    }
    // A row is an id that no other consumer of the trace has.
    const uint64_t id = uint64_t{to} * kMaxInputs + nth;
    const int64_t consumed = builder.start_ns(to);
    const int64_t produced = builder.start_ns(from) + builder.dur_ns(from);
    // A receiver that waits begins before there is something to receive.
    const int64_t arrives =
        produced <= consumed
            ? consumed
            : std::min(produced, consumed + builder.dur_ns(to));
    builder.AddFlow({std::min(produced, arrives), id, text,
                     builder.track_of(from), FlowPhase::kBegin});
    builder.AddFlow({arrives, id, text, builder.track_of(to), FlowPhase::kEnd});
  }
}

}  // namespace stepscope::proto::tf
