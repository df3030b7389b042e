// SPDX-License-Identifier: Apache-2.0
#include "importers/clock_placement.h"

#include <algorithm>
#include <optional>
#include <string>

namespace stepscope {

void PlaceUnknownClocks(std::span<const FilePart> files) {
  std::optional<int64_t> first_known;
  for (const auto& [path, builder] : files) {
    int64_t first = 0;
    if (!builder->epoch_known() ||
        __builtin_add_overflow(builder->epoch_ns(),
                               builder->FirstTime().value_or(0), &first))
      continue;
    first_known = std::min(first_known.value_or(first), first);
  }
  if (!first_known) return;
  for (const auto& [path, builder] : files) {
    const std::optional<int64_t> first = builder->FirstTime();
    int64_t epoch = 0;
    if (builder->epoch_known() || !first ||
        __builtin_sub_overflow(*first_known, *first, &epoch))
      continue;
    builder->AssumeEpoch(epoch);
    builder->AddNote(std::string(path) +
                     ": states no absolute time; laid where the first of the "
                     "other files begins");
  }
}

}  // namespace stepscope
