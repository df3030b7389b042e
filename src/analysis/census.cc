// SPDX-License-Identifier: Apache-2.0
#include "analysis/census.h"

#include "analysis/kinds.h"

namespace stepscope {
namespace {

constexpr TypeSet kMarks =
    SetOf(STEPSCOPE_PROFILE_STEP) | SetOf(STEPSCOPE_DATALOADER) |
    SetOf(STEPSCOPE_FORWARD) | SetOf(STEPSCOPE_BACKWARD) |
    SetOf(STEPSCOPE_OPTIMIZATION);

}  // namespace

Census::Census(const Trace& trace)
    : counts_(trace.tracks().size()),
      types_(trace.tracks().size()),
      host_types_(trace.strings().size()),
      device_types_(trace.strings().size()) {
  first_mark_.reserve(trace.tracks().size() + 1);
  for (const Track& track : trace.tracks()) {
    first_mark_.push_back(marks_.size());
    Add(trace, track,
        track.kind == TrackKind::kThread ? host_types_ : device_types_);
  }
  first_mark_.push_back(marks_.size());
}

void Census::Add(const Trace& trace, const Track& track,
                 std::vector<TypeSet>& by_name) {
  const uint16_t* const type = trace.type().data();
  const StringId* const name = trace.name().data();
  Counts counts{};
  for (Row row = track.first; row < track.last; ++row) {
    const TypeSet bit = SetOf(type[row]);
    ++counts[TypeSlot(type[row])];
    // Stored only when new: most names have one type.
    if (TypeSet& seen = by_name[name[row].v]; (seen & bit) == 0) seen |= bit;
    if ((bit & kMarks) != 0) marks_.push_back(row);
  }
  const auto index = static_cast<size_t>(&track - trace.tracks().data());
  counts_[index] = counts;
  for (uint16_t slot = 0; slot < kTypeSlots; ++slot)
    if (counts[slot] > 0) types_[index] |= SetOf(slot);
}

}  // namespace stepscope
