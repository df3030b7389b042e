// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/item_sums.h"

#include <utility>

namespace stepscope {

uint32_t ItemSums::Item(CompareTable table, std::string_view name,
                        std::string_view shape) {
  CompareKey key{table, std::string(name), std::string(shape)};
  const auto next = static_cast<uint32_t>(sums_.size());
  const auto [at, added] = slots_.try_emplace(std::move(key), next);
  if (added) sums_.emplace_back();
  return at->second;
}

uint32_t ItemSums::NewItem(CompareTable table, StringId name, uint32_t shape) {
  const uint32_t item = Item(table, trace_.str(name), shapes_[shape]);
  items_[static_cast<size_t>(table)].push_back(item);
  return item;
}

uint32_t ItemSums::ShapeId(const std::string& shape) {
  if (shape.empty()) return 0;
  const auto next = static_cast<uint32_t>(shapes_.size());
  const auto [at, added] = shape_ids_.try_emplace(shape, next);
  if (added) shapes_.push_back(at->first);  // nodes stay where they are
  return at->second;
}

void ItemSums::Add(uint32_t item, uint32_t step, int64_t value) {
  Sum& sum = sums_[item];
  ++sum.calls;
  // Events come in time order: as a rule it is the step of the last call.
  if (sum.last == FlatMap::kNew || cells_[sum.last].step != step) {
    const uint32_t found = index_.Insert(uint64_t{item} << 32 | step);
    sum.last = found;
    if (found == FlatMap::kNew) {
      sum.last = static_cast<uint32_t>(cells_.size());
      cells_.push_back({item, step, 0});
    }
  }
  Cell& cell = cells_[sum.last];
  cell.value = SaturatingAdd(cell.value, value);
}

std::map<CompareKey, CompareItem> ItemSums::Finish() const {
  std::vector<uint32_t> counts(sums_.size());
  for (const Cell& cell : cells_) ++counts[cell.item];
  std::vector<std::vector<int64_t>> values(sums_.size());
  for (size_t i = 0; i < counts.size(); ++i) values[i].reserve(counts[i]);
  for (const Cell& cell : cells_) values[cell.item].push_back(cell.value);
  std::map<CompareKey, CompareItem> items;
  for (const auto& [key, slot] : slots_) {
    items[key] = {sums_[slot].calls,
                  StepSample::Of(std::move(values[slot]), steps_)};
  }
  return items;
}

}  // namespace stepscope
