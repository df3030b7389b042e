// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/by_name.h"

#include <algorithm>
#include <numeric>

namespace stepscope {

uint32_t ByName::NewSlot(uint32_t thread, StringId name) {
  const auto slot = static_cast<uint32_t>(stats_.size());
  if (!per_thread_) slot_of_name_[name.v] = slot;
  NameStats& stats = stats_.emplace_back();
  stats.name = name;
  stats.group = per_thread_ ? thread : 0;
  return slot;
}

std::vector<uint32_t> ByName::Order() const {
  std::vector<uint32_t> order(stats_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (stats_[a].group != stats_[b].group)
      return stats_[a].group < stats_[b].group;
    return stats_[a].first.Before(stats_[b].first);
  });
  return order;
}

}  // namespace stepscope
