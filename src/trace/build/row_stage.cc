// SPDX-License-Identifier: Apache-2.0
#include "trace/build/row_stage.h"

#include <algorithm>
#include <utility>

namespace stepscope {
namespace {

// Pieces double up to this, so that a track of few events takes little and
// one of many is in few pieces.
constexpr Row kLargestPiece = 4096;

}  // namespace

void RowStage::Reserve(uint64_t events) {
  // Refused memory shows when it is needed.
  if (events < kNoRow)
    static_cast<void>(part_.events.ReserveMore(static_cast<size_t>(events)));
}

bool RowStage::OpenPiece(uint32_t track) {
  if (track == UINT32_MAX) return false;  // no track
  Row size = kGrain;
  if (track >= tracks_) {
    tracks_ = track + 1;
    open_.resize(tracks_);
  } else if (const Open& full = open_[track]; full.end != 0) {
    Piece& before = part_.pieces[full.piece];
    before.last = full.at;
    size = std::min(2 * (before.last - before.first), kLargestPiece);
  }
  const size_t first = part_.events.size();
  if (part_.first_slot + uint64_t{first} + size >= kNoRow ||
      !part_.events.ReserveMore(size) || !part_.events.Resize(first + size))
    return false;
  const auto at = static_cast<Row>(first);
  open_[track] = {at, at + size, static_cast<uint32_t>(part_.pieces.size())};
  part_.pieces.push_back({track, at, at});
  return true;
}

// Begins a new part.
void RowStage::Seal() {
  for (const Open& open : open_)
    if (open.end != 0) part_.pieces[open.piece].last = open.at;
  const Row next = slots();
  if (!part_.events.empty()) parts_.push_back(std::move(part_));
  part_ = {};
  part_.first_slot = next;
  open_.clear();
  tracks_ = 0;
}

bool RowStage::Append(RowStage&& other, std::span<const StringId> names,
                      std::span<const uint32_t> tracks) {
  Seal();
  const Row first = slots();
  const uint64_t end = uint64_t{first} + other.slots();
  if (end >= kNoRow) return false;
  for (Part& part : other.Take()) {
    // A piece of no track stays one: what makes a Trace of it refuses it.
    for (Piece& piece : part.pieces)
      piece.track =
          piece.track < tracks.size() ? tracks[piece.track] : UINT32_MAX;
    if (part.names.empty()) part.names.assign(names.begin(), names.end());
    part.first_slot += first;
    parts_.push_back(std::move(part));
  }
  part_.first_slot = static_cast<Row>(end);
  return true;
}

std::vector<RowStage::Part> RowStage::Take() {
  Seal();
  part_.first_slot = 0;
  return std::exchange(parts_, {});
}

}  // namespace stepscope
