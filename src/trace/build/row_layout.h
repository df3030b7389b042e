// SPDX-License-Identifier: Apache-2.0
//
// RowLayout: gives the events of a RowStage their rows, track by track, and
// copies them there, on several threads if there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "trace/build/row_order.h"
#include "trace/build/row_stage.h"

namespace stepscope {

class RowLayout {
 public:
  // Rows begin at `first`.
  RowLayout(RowStage& stage, Row first);

  Row rows() const { return rows_; }
  // The row of what was added under this slot.
  Row RowOf(Row slot) const {
    return row_[slot / RowStage::kGrain] + slot % RowStage::kGrain;
  }
  // Copies the next track that nobody has taken into columns that hold its
  // rows already; false if there is none. Thread-safe.
  bool PlaceTrack(EventTable& events);
  // Those that turned out to be in order, after all have been placed.
  std::vector<OrderedRows> ordered() const;

 private:
  struct PieceRef {
    uint32_t track;
    uint32_t part;
    uint32_t piece;
  };
  struct TrackRows {
    uint32_t track = 0;
    Row first = 0;
    Row last = 0;
    size_t first_piece = 0;
    size_t last_piece = 0;
    bool ordered = false;
  };

  std::vector<RowStage::Part> parts_;
  std::vector<PieceRef> pieces_;   // by track
  std::vector<TrackRows> tracks_;  // those of many rows first
  std::vector<Row> row_;           // of the first slot of every grain
  Row rows_ = 0;
  std::atomic<size_t> next_ = 0;
};

}  // namespace stepscope
