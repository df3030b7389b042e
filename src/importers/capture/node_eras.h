// SPDX-License-Identifier: Apache-2.0
//
// NodeEras: which call a node of a graph was captured from, and since when. A
// node that is gone leaves its id to another: then the later ones get ids that
// nobody has, so that a replay is linked to the node that it was made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace stepscope::capture {

class NodeEras {
 public:
  // A node came into being. All that follows comes in the order in which nodes
  // did; kNoRow: the call is not known.
  void Make(uint64_t node, Row call, int64_t since_ns) {
    Add(node, {call, since_ns, 0, false});
  }
  // It is a copy, of one from that call. It was made first, as any node is.
  void Copy(uint64_t node, Row call, int64_t since_ns) {
    const auto found = eras_.find(node);
    if (found == eras_.end() || found->second.back().copied)
      return Add(node, {call, since_ns, 0, true});
    found->second.back().call = call;
    found->second.back().copied = true;
  }

  // Of the last node with this id; kNoRow: not known.
  Row CallOf(uint64_t node) const {
    const auto found = eras_.find(node);
    return found == eras_.end() ? kNoRow : found->second.back().call;
  }
  bool IsUsedAgain(uint64_t node) const {
    const auto found = eras_.find(node);
    return found != eras_.end() && found->second.size() > 1;
  }
  // Under which id a node is that was in use at a time. REQUIRES:
  // IsUsedAgain().
  uint64_t IdAt(uint64_t node, int64_t time_ns) const {
    const std::vector<Era>& eras = eras_.at(node);
    const auto after =
        std::find_if(eras.begin() + 1, eras.end(),
                     [&](const Era& era) { return era.since_ns > time_ns; });
    return (after - 1)->id;
  }
  // Ids with the calls that they are from.
  std::vector<std::pair<uint64_t, Row>> Calls() const {
    std::vector<std::pair<uint64_t, Row>> calls;
    for (const auto& [node, eras] : eras_)
      for (const Era& era : eras)
        if (era.call != kNoRow) calls.emplace_back(era.id, era.call);
    return calls;
  }

 private:
  struct Era {
    Row call = kNoRow;  // kNoRow: not known
    int64_t since_ns = 0;
    uint64_t id = 0;
    bool copied = false;
  };

  void Add(uint64_t node, Era era) {
    std::vector<Era>& eras = eras_[node];
    era.id = eras.empty() ? node : FreeId();
    eras.push_back(era);
  }
  uint64_t FreeId() {
    while (eras_.contains(next_id_)) ++next_id_;
    return next_id_++;
  }

  std::unordered_map<uint64_t, std::vector<Era>> eras_;
  // CUPTI numbers nodes from the bottom, and readers of JSON know 53 bits.
  uint64_t next_id_ = uint64_t{1} << 52;
};

}  // namespace stepscope::capture
