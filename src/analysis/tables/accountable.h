// SPDX-License-Identifier: Apache-2.0
//
// Accountable: the event that a memory event counts for.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/flat_map.h"
#include "analysis/kinds.h"
#include "analysis/memory_script.h"

namespace stepscope {

// Stands for the name of no event.
inline constexpr StringId kOutsideId{0xffffffffu};

// Phases of an operator, API calls and passes that nobody recorded count for
// the event around them, and so do operators that only make a tensor for
// another one. Chains
// of phases are followed once, however long and however often asked for. Not
// thread-safe; refers to the tree.
class Accountable {
 public:
  explicit Accountable(const EventTree& tree) : tree_(tree) {}

  // `owner`: MemoryEvent::owner; kNoRow if no event is accountable.
  Row Of(Row owner) {
    Row row = Around(owner);
    while (row != kNoRow && OnlyMakesTensors(row)) {
      const Row caller = Around(tree_.parent(row));
      if (caller == kNoRow ||
          tree_.trace().type()[caller] != STEPSCOPE_OPERATOR)
        break;  // the program made it itself
      row = caller;
    }
    return row;
  }

  // Whose stack is that of the allocation: from `owner` out to who is
  // accountable, the first that has a line; the latter where none has.
  Row StackOf(Row owner) {
    const Row last = Of(owner);
    for (Row row = owner; row != kNoRow && row != last; row = tree_.parent(row))
      if (!LineOf(tree_.trace(), row).empty()) return row;
    return last;
  }

  StringId NameOf(Row owner) {
    const Row row = Of(owner);
    return row == kNoRow ? kOutsideId : tree_.trace().name()[row];
  }

 private:
  Row Around(Row owner) {
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

  bool OnlyMakesTensors(Row row) {
    const StringId name = tree_.trace().name()[row];
    if (name.v >= makes_tensors_.size())
      makes_tensors_.resize(tree_.trace().strings().size(), kNotAsked);
    uint8_t& answer = makes_tensors_[name.v];
    if (answer == kNotAsked) {
      const auto* const end = std::end(kMakers);
      answer =
          std::find(std::begin(kMakers), end, tree_.trace().str(name)) != end;
    }
    return answer != 0;
  }

  static constexpr uint8_t kNotAsked = 2;
  static constexpr std::string_view kMakers[] = {
      "aten::empty",      "aten::empty_like",        "aten::empty_strided",
      "aten::new_empty",  "aten::new_empty_strided", "aten::zeros",
      "aten::zeros_like", "aten::new_zeros",         "aten::ones",
      "aten::ones_like",  "aten::new_ones",          "aten::full",
      "aten::full_like",  "aten::new_full",          "aten::resize_",
  };

  const EventTree& tree_;
  FlatMap slots_;
  std::vector<Row> answers_;  // by slot
  std::vector<Row> chain_;
  std::vector<uint8_t> makes_tensors_;  // by name
};

}  // namespace stepscope
