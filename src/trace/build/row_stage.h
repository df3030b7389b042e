// SPDX-License-Identifier: Apache-2.0
//
// RowStage: events of many tracks as a file mixes them, on their way into
// columns that keep each track together. Every track fills pieces of its own:
// RowLayout then copies runs of rows, and an event's row follows from that of
// its piece. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "base/string_pool.h"
#include "trace/trace.h"

namespace stepscope {

class RowStage {
 public:
  struct Event {
    int64_t start_ns;
    int64_t dur_ns;
    StringId name;
    uint16_t type;
    uint16_t flags;
  };

  // Slots of one track; a multiple of kGrain.
  struct Piece {
    uint32_t track;
    Row first;  // within its part
    Row last;   // one past the last that is in use
  };
  // What was added without interruption.
  struct Part {
    Column<Event> events;
    std::vector<Piece> pieces;    // of one track in its order
    std::vector<StringId> names;  // by id; empty: as they are
    Row first_slot = 0;
  };
  static constexpr Row kGrain = 8;

  // Adds the next event of a track and returns its slot. kNoRow: no memory, or
  // too many.
  Row Add(uint32_t track, const Event& event) {
    if (track >= tracks_ || open_[track].at == open_[track].end) [[unlikely]] {
      if (!OpenPiece(track)) return kNoRow;
    }
    Open& open = open_[track];
    part_.events[open.at] = event;
    return part_.first_slot + open.at++;
  }
  // Room for so many events, which is not touched before it is used.
  void Reserve(uint64_t events);

  // One past the highest slot. There are fewer events: pieces are not full.
  Row slots() const {
    return part_.first_slot + static_cast<Row>(part_.events.size());
  }
  bool empty() const { return slots() == 0; }

  // Adds what another stage holds, its slots behind slots(). Its names and
  // tracks become what these say; no names: they stay. False: too many.
  [[nodiscard]] bool Append(RowStage&& other, std::span<const StringId> names,
                            std::span<const uint32_t> tracks);

  // All that was added, in order; the stage is empty afterwards.
  std::vector<Part> Take();

 private:
  // The piece that a track is filling.
  struct Open {
    Row at = 0;
    Row end = 0;
    uint32_t piece = 0;
  };

  bool OpenPiece(uint32_t track);
  void Seal();

  Part part_;
  uint32_t tracks_ = 0;      // of open_, which would divide to know it
  std::vector<Open> open_;   // by track
  std::vector<Part> parts_;  // before part_
};

}  // namespace stepscope
