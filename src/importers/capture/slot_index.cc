// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/slot_index.h"

#include <algorithm>
#include <tuple>

namespace stepscope::capture {
namespace {

constexpr uint32_t kPositionsPerChunk = format::SlotPosition(1, 0);

}  // namespace

void SlotIndex::AddRun(const format::EventsHeader& header, int64_t first_ns,
                       Row last_row, std::span<const Break> breaks) {
  if (breaks.empty()) return;
  Run run = {};
  run.chunk = header.chunk;
  run.first_slot = header.first_slot;
  run.incarnation = header.incarnation;
  run.first_ns = first_ns;
  run.last_row = last_row;
  run.first_break = breaks_.size();
  run.break_count = breaks.size();
  runs_.push_back(run);
  breaks_.insert(breaks_.end(), breaks.begin(), breaks.end());
}

// By chunk, then time: runs of one chunk follow one another.
void SlotIndex::Seal() {
  std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
    return std::tie(a.chunk, a.incarnation, a.first_slot) <
           std::tie(b.chunk, b.incarnation, b.first_slot);
  });
}

size_t SlotIndex::RunsUpTo(uint32_t position, int64_t start_ns) const {
  const uint32_t chunk = position / kPositionsPerChunk;
  const auto after =
      std::partition_point(runs_.begin(), runs_.end(), [&](const Run& run) {
        return std::tie(run.chunk, run.first_ns) <= std::tie(chunk, start_ns);
      });
  return static_cast<size_t>(after - runs_.begin());
}

Row SlotIndex::RowIn(size_t index, uint32_t position) const {
  if (index >= runs_.size()) return kNoRow;
  const Run& run = runs_[index];
  const uint32_t slot = position % kPositionsPerChunk;
  if (run.chunk != position / kPositionsPerChunk) return kNoRow;
  const Break* const first = breaks_.data() + run.first_break;
  const Break* const last = first + run.break_count;
  const Break* const after = std::upper_bound(
      first, last, slot, [](uint32_t s, const Break& b) { return s < b.slot; });
  if (after == first) return kNoRow;
  const Break& from = *(after - 1);
  const Row row = from.row + (slot - from.slot);
  return row < (after == last ? run.last_row : after->row) ? row : kNoRow;
}

}  // namespace stepscope::capture
