// SPDX-License-Identifier: Apache-2.0
//
// Accountable: the event that a memory event counts for.
#pragma once

#include <vector>

#include "analysis/event_tree.h"
#include "analysis/flat_map.h"
#include "analysis/kinds.h"

namespace stepscope {

// Stands for the name of no event.
inline constexpr StringId kOutsideId{0xffffffffu};

// Phases of an operator, API calls and passes that nobody recorded count for
// the event around them. Chains
// of phases are followed once, however long and however often asked for. Not
// thread-safe; refers to the tree.
class Accountable {
 public:
  explicit Accountable(const EventTree& tree) : tree_(tree) {}

  // `owner`: MemoryEvent::owner; kNoRow if no event is accountable.
  Row Of(Row owner) {
    const auto type = tree_.trace().type();
    chain_.clear();
    Row row = owner;
    while (row != kNoRow &&
           (type[row] == STEPSCOPE_OPERATOR_INNER || IsApiCall(type[row]) ||
            IsConcludedPass(tree_.trace(), row))) {
      const uint32_t slot = slots_.Find(row);
      if (slot != FlatMap::kNew) {
        row = answers_[slot];
        break;
      }
      chain_.push_back(row);
      row = tree_.parent(row);
    }
    for (const Row link : chain_) {
      slots_.Insert(link);
      answers_.push_back(row);
    }
    return row;
  }

  StringId NameOf(Row owner) {
    const Row row = Of(owner);
    return row == kNoRow ? kOutsideId : tree_.trace().name()[row];
  }

 private:
  const EventTree& tree_;
  FlatMap slots_;
  std::vector<Row> answers_;  // by slot
  std::vector<Row> chain_;
};

}  // namespace stepscope
