// SPDX-License-Identifier: Apache-2.0
//
// TfGraph: the graph that really ran, from the partition graphs of a
// RunMetadata. Names point into the file's bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "importers/proto/wire.h"

namespace stepscope::proto::tf {

class TfGraph {
 public:
  struct Node {
    std::string_view device;
    std::string_view name;
    std::string_view op;
    std::vector<std::string_view> inputs;
    // The sender of what a receiver gets, if both are here.
    const Node* sender = nullptr;
  };

  // All partition graphs of a RunMetadata, those of functions too.
  explicit TfGraph(Bytes run_metadata);
  TfGraph(const TfGraph&) = delete;
  TfGraph& operator=(const TfGraph&) = delete;

  bool empty() const { return nodes_.empty(); }
  // The node of that name on that device, else null.
  const Node* Find(std::string_view device, std::string_view name) const;

 private:
  // What a sender and its receiver agree on.
  using Rendezvous =
      std::tuple<std::string_view, std::string_view, std::string_view>;

  void ReadGraph(Bytes graph);
  void ReadNode(Bytes definition);

  // By device and name. Nodes stay where they are.
  std::map<std::pair<std::string_view, std::string_view>, Node> nodes_;
  std::map<Rendezvous, const Node*> senders_;
  std::vector<std::pair<Rendezvous, Node*>> receivers_;
};

}  // namespace stepscope::proto::tf
