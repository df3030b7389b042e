// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph.h"

#include "importers/tensorflow/fields.h"

namespace stepscope::proto::tf {
namespace {

bool IsSend(std::string_view op) { return op == "_Send" || op == "_HostSend"; }
bool IsReceive(std::string_view op) {
  return op == "_Recv" || op == "_HostRecv";
}

}  // namespace

TfGraph::TfGraph(Bytes run_metadata) {
  Message message(run_metadata);
  while (message.Next()) {
    if (message.tag() == kPartitionGraph) ReadGraph(message.bytes());
    if (message.tag() != kFunctionGraphs) continue;
    Message functions(message.bytes());
    while (functions.Next())
      if (functions.tag() == kFunctionPartitionGraph)
        ReadGraph(functions.bytes());
  }
  for (const auto& [rendezvous, receiver] : receivers_) {
    const auto sender = senders_.find(rendezvous);
    if (sender != senders_.end()) receiver->sender = sender->second;
  }
}

void TfGraph::ReadGraph(Bytes graph) {
  Message message(graph);
  while (message.Next())
    if (message.tag() == kNode) ReadNode(message.bytes());
}

void TfGraph::ReadNode(Bytes definition) {
  Node node;
  std::string_view tensor;
  std::string_view from;
  std::string_view to;
  Message message(definition);
  while (message.Next()) {
    switch (message.tag()) {
      case kDefName:
        node.name = message.text();
        break;
      case kDefOp:
        node.op = message.text();
        break;
      case kDefInput:
        node.inputs.push_back(message.text());
        break;
      case kDefDevice:
        node.device = message.text();
        break;
      case kDefAttribute: {
        std::string_view key;
        Bytes value;
        Message entry(message.bytes());
        while (entry.Next()) {
          if (entry.tag() == kMapKey) key = entry.text();
          if (entry.tag() == kMapValue) value = entry.bytes();
        }
        std::string_view* const into = key == "tensor_name"   ? &tensor
                                       : key == "send_device" ? &from
                                       : key == "recv_device" ? &to
                                                              : nullptr;
        if (into == nullptr) break;
        Message attribute(value);
        while (attribute.Next())
          if (attribute.tag() == kAttributeText) *into = attribute.text();
        break;
      }
      default:
        break;
    }
  }
  if (node.name.empty()) return;
  const Rendezvous rendezvous = {tensor, from, to};
  const auto [it, fresh] =
      nodes_.try_emplace({node.device, node.name}, std::move(node));
  if (!fresh) return;
  if (IsSend(it->second.op)) senders_[rendezvous] = &it->second;
  if (IsReceive(it->second.op))
    receivers_.emplace_back(rendezvous, &it->second);
}

const TfGraph::Node* TfGraph::Find(std::string_view device,
                                   std::string_view name) const {
  const auto it = nodes_.find({device, name});
  return it == nodes_.end() ? nullptr : &it->second;
}

}  // namespace stepscope::proto::tf
