// SPDX-License-Identifier: Apache-2.0
//
// ItemSums: times by item and step. Items are looked up by the id of their
// name; text is compared only when an item is new.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/compare/step_profile.h"
#include "analysis/flat_map.h"
#include "analysis/stats.h"
#include "trace/trace.h"

namespace stepscope {

// Not thread-safe; refers to the trace.
class ItemSums {
 public:
  // `steps`: over all processes.
  ItemSums(const Trace& trace, uint32_t steps) : trace_(trace), steps_(steps) {}

  uint32_t Item(CompareTable table, std::string_view name,
                std::string_view shape = {});
  // The same for the name of an event. `shape`: of ShapeId.
  uint32_t Item(CompareTable table, StringId name, uint32_t shape) {
    const uint64_t key = (uint64_t{shape} << 32) | name.v;
    const auto index = static_cast<size_t>(table);
    const uint32_t slot = known_[index].Insert(key);
    return slot != FlatMap::kNew ? items_[index][slot]
                                 : NewItem(table, name, shape);
  }
  // 0 for none.
  uint32_t ShapeId(const std::string& shape);

  // One call more. Not for a call inside one of the same item.
  void Add(uint32_t item, uint32_t step, int64_t value);

  std::map<CompareKey, CompareItem> Finish() const;

 private:
  struct Cell {
    uint32_t item = 0;
    uint32_t step = 0;
    int64_t value = 0;
  };
  struct Sum {
    uint64_t calls = 0;
    uint32_t last = FlatMap::kNew;  // cell that was added to last
  };

  uint32_t NewItem(CompareTable table, StringId name, uint32_t shape);

  static constexpr size_t kTables = 9;
  const Trace& trace_;
  uint32_t steps_;
  std::map<CompareKey, uint32_t> slots_;
  FlatMap known_[kTables];                // (shape, name) to an index
  std::vector<uint32_t> items_[kTables];  // of items
  std::unordered_map<std::string, uint32_t> shape_ids_;
  std::vector<std::string_view> shapes_{""};  // by id
  std::vector<Sum> sums_;                     // by item
  FlatMap index_;                             // (item, step) to a cell
  std::vector<Cell> cells_;
};

}  // namespace stepscope
