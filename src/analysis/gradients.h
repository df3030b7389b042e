// SPDX-License-Identifier: Apache-2.0
//
// Which function of autograd computes the gradient of which operator: torch
// gives both the same sequence number.
#pragma once

#include <stepscope/c.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "analysis/autograd_names.h"
#include "analysis/event_tree.h"

namespace stepscope {

// Calls `visit(forward, backward)` for the operators of a process whose
// gradient was computed, with the outermost function of autograd that did it.
// Of several operators with one number, it is the one that began last, as torch
// counts up when it makes a node of the graph. `is_wanted(row)`: whether an
// operator counts.
template <typename IsWanted, typename Visit>
void ForEachGradient(const EventTree& tree, const AutogradNames& autograd,
                     uint32_t process, IsWanted is_wanted, Visit visit) {
  const Trace& trace = tree.trace();
  const auto links = trace.links();
  const auto key = [](const Link& link) {
    return std::tuple(link.process, link.space);
  };
  const std::tuple wanted(process, LinkSpace::kSequence);
  auto at = std::partition_point(
      links.begin(), links.end(),
      [&](const Link& link) { return key(link) < wanted; });
  std::vector<Row> rows;
  while (at != links.end() && key(*at) == wanted) {
    const uint64_t id = at->id;
    rows.clear();
    for (; at != links.end() && key(*at) == wanted && at->id == id; ++at) {
      if (tree.thread_of(at->row) == kNoThread) continue;
      if (autograd.Has(trace, at->row) || is_wanted(at->row))
        rows.push_back(at->row);
    }
    if (rows.size() < 2) continue;
    std::sort(rows.begin(), rows.end(), [&](Row a, Row b) {
      return trace.start_ns()[a] < trace.start_ns()[b];
    });
    Row forward = kNoRow;
    for (const Row row : rows) {
      if (!autograd.Has(trace, row)) {
        if (trace.type()[row] == STEPSCOPE_OPERATOR) forward = row;
      } else if (forward != kNoRow) {
        visit(forward, row);
        forward = kNoRow;
      }
    }
  }
}

}  // namespace stepscope
