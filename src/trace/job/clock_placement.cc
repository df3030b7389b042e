// SPDX-License-Identifier: Apache-2.0
#include "trace/job/clock_placement.h"

#include <algorithm>

namespace stepscope {

ClockMap MapBetween(const Epoch& from, const Epoch& to) {
  int64_t offset = 0;
  if (!from.known || !to.known ||
      __builtin_sub_overflow(from.ns, to.ns, &offset))
    return {};
  return ClockMap::Shift(offset);
}

std::vector<PlacedClock> PlaceClocks(std::span<const ClockFacts> recordings) {
  std::optional<int64_t> first_known;
  for (const ClockFacts& one : recordings) {
    int64_t first = 0;
    if (!one.epoch.known ||
        __builtin_add_overflow(one.epoch.ns, one.first_ns.value_or(0), &first))
      continue;
    first_known = std::min(first_known.value_or(first), first);
  }
  std::vector<PlacedClock> placed;
  for (const ClockFacts& one : recordings) {
    placed.push_back({one.epoch, false});
    int64_t epoch = 0;
    if (one.epoch.known || !first_known || !one.first_ns ||
        __builtin_sub_overflow(*first_known, *one.first_ns, &epoch))
      continue;
    placed.back() = {{epoch, true}, true};
  }
  return placed;
}

}  // namespace stepscope
