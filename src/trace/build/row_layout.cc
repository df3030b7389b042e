// SPDX-License-Identifier: Apache-2.0
#include "trace/build/row_layout.h"

#include <algorithm>

#include "trace/build/order_check.h"

namespace stepscope {
namespace {

void CopyRows(const RowStage::Part& part, const RowStage::Piece& piece, Row to,
              EventTable& events) {
  const RowStage::Event* const from = part.events.data() + piece.first;
  const Row count = piece.last - piece.first;
  int64_t* const start = events.start_ns.data() + to;
  int64_t* const dur = events.dur_ns.data() + to;
  StringId* const name = events.name.data() + to;
  uint16_t* const type = events.type.data() + to;
  uint16_t* const flags = events.flags.data() + to;
  uint32_t any_flags = 0;
  for (Row i = 0; i < count; ++i) {
    start[i] = from[i].start_ns;
    dur[i] = from[i].dur_ns;
    name[i] = from[i].name;
    type[i] = from[i].type;
    any_flags |= from[i].flags;
  }
  // They are zero as a rule, and so is the column: it need not be touched.
  if (any_flags != 0)
    for (Row i = 0; i < count; ++i) flags[i] = from[i].flags;
  if (!part.names.empty())
    for (Row i = 0; i < count; ++i) name[i] = part.names[name[i].v];
  std::fill_n(events.track.data() + to, count, piece.track);
}

}  // namespace

RowLayout::RowLayout(RowStage& stage, Row first) {
  const Row slots = stage.slots();
  parts_ = stage.Take();
  for (uint32_t part = 0; part < parts_.size(); ++part)
    for (uint32_t i = 0; i < parts_[part].pieces.size(); ++i)
      pieces_.push_back({parts_[part].pieces[i].track, part, i});
  std::stable_sort(
      pieces_.begin(), pieces_.end(),
      [](const PieceRef& a, const PieceRef& b) { return a.track < b.track; });
  row_.resize(slots / RowStage::kGrain);
  Row next = first;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (i == 0 || pieces_[i].track != tracks_.back().track)
      tracks_.push_back({pieces_[i].track, next, next, i, i, false});
    const RowStage::Part& part = parts_[pieces_[i].part];
    const RowStage::Piece& piece = part.pieces[pieces_[i].piece];
    const Row slot = part.first_slot + piece.first;
    for (Row used = 0; used < piece.last - piece.first;
         used += RowStage::kGrain)
      row_[(slot + used) / RowStage::kGrain] = next + used;
    next += piece.last - piece.first;
    tracks_.back().last = next;
    tracks_.back().last_piece = i + 1;
  }
  rows_ = next - first;
  std::stable_sort(tracks_.begin(), tracks_.end(),
                   [](const TrackRows& a, const TrackRows& b) {
                     return a.last - a.first > b.last - b.first;
                   });
}

bool RowLayout::PlaceTrack(EventTable& events) {
  const size_t index = next_.fetch_add(1, std::memory_order_relaxed);
  if (index >= tracks_.size()) return false;
  TrackRows& track = tracks_[index];
  OrderCheck check;
  Row row = track.first;
  for (size_t i = track.first_piece; i < track.last_piece; ++i) {
    const RowStage::Part& part = parts_[pieces_[i].part];
    const RowStage::Piece& piece = part.pieces[pieces_[i].piece];
    const Row count = piece.last - piece.first;
    CopyRows(part, piece, row, events);
    // While they are in the cache.
    check.Add(events.start_ns.data() + row, events.dur_ns.data() + row, count);
    row += count;
  }
  track.ordered = check.ordered();
  return true;
}

std::vector<OrderedRows> RowLayout::ordered() const {
  std::vector<OrderedRows> all;
  for (const TrackRows& track : tracks_)
    if (track.ordered) all.push_back({track.track, track.first, track.last});
  return all;
}

}  // namespace stepscope
