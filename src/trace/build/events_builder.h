// SPDX-License-Identifier: Apache-2.0
//
// EventsBuilder: the part of TraceBuilder that takes events. One is named by
// the row at which it was added until TraceBuilder::Finish().
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "trace/build/row_order.h"
#include "trace/build/row_stage.h"
#include "trace/trace.h"

namespace stepscope {

// One event as an importer hands it over.
struct EventSpec {
  uint32_t track = 0;
  int64_t start_ns = 0;
  int64_t dur_ns = 0;  // not negative
  StringId name;
  uint16_t type = 0;   // stepscope_event_type
  uint16_t flags = 0;  // EventFlag
};

class EventsBuilder {
 public:
  // Adds one event and returns its row. Memory refused or too many events:
  // kNoRow, and Finish() fails.
  Row AddEvent(const EventSpec& event) {
    const Row row = event_count();
    if (row >= room_ && !MakeRoom()) [[unlikely]]
      return kNoRow;
    events_.start_ns.AppendReserved(event.start_ns);
    events_.dur_ns.AppendReserved(event.dur_ns);
    events_.name.AppendReserved(event.name);
    events_.track.AppendReserved(event.track);
    events_.type.AppendReserved(event.type);
    events_.flags.AppendReserved(event.flags);
    return row;
  }
  Row event_count() const { return events_.size(); }

  // The same for events of many tracks in any mixture, which Finish() then
  // need not take apart. Rows so named are for arguments and links alone until
  // PlaceStaged() gives them others, and no event is added otherwise before.
  Row StageEvent(const EventSpec& event) {
    const Row slot = stage_.Add(
        event.track,
        {event.start_ns, event.dur_ns, event.name, event.type, event.flags});
    if (slot >= kNoRow - event_count()) [[unlikely]] {
      events_lost_ = true;
      return kNoRow;
    }
    return event_count() + slot;
  }
  void ReserveStaged(uint64_t events) { stage_.Reserve(events); }

  // Fast path: events written in place. ReserveRows makes room for `count`
  // rows after event_count(); the pointers are to the first of them and last
  // until the next ReserveRows or AddEvent. CommitRows adopts the first
  // `count`, of which every column has been written but `track`, `type` and
  // `flags` (zero unless written). Rows that are already grouped by track,
  // ordered and nested are not moved by Finish().
  struct Rows {
    Row first = 0;
    int64_t* start_ns = nullptr;
    int64_t* dur_ns = nullptr;
    StringId* name = nullptr;
    uint32_t* track = nullptr;
    uint16_t* type = nullptr;
    uint16_t* flags = nullptr;
  };
  Status ReserveRows(uint64_t count);
  Rows rows();
  void CommitRows(uint64_t count) {
    // Within what was reserved, so that nothing is allocated or refused.
    events_lost_ |= !events_.Resize(event_count() + static_cast<size_t>(count));
  }
  // For who checked the order of rows while they were in the cache: if these
  // turn out to be all of the track's, Finish() does not check them again.
  void SetOrdered(const OrderedRows& rows) { ordered_.push_back(rows); }

  // Columns of the rows added so far, for ends and flags that come late.
  int64_t start_ns(Row row) const { return events_.start_ns[row]; }
  int64_t dur_ns(Row row) const { return events_.dur_ns[row]; }
  uint32_t track_of(Row row) const { return events_.track[row]; }
  uint16_t type_of(Row row) const { return events_.type[row]; }
  StringId name_of(Row row) const { return events_.name[row]; }
  void SetStart(Row row, int64_t start_ns) {
    ordered_.clear();
    events_.start_ns[row] = start_ns;
  }
  void SetDuration(Row row, int64_t dur_ns) {
    ordered_.clear();
    events_.dur_ns[row] = dur_ns;
  }
  void AddFlags(Row row, uint16_t flags) { events_.flags[row] |= flags; }
  void ClearFlags(Row row, uint16_t flags) {
    events_.flags[row] &= static_cast<uint16_t>(~flags);
  }
  void SetType(Row row, uint16_t type) { events_.type[row] = type; }

 protected:
  // For `count` more rows, and as many again as there are, so that adding a
  // little often costs little. False, and Finish() fails: there is none.
  bool MakeRoom(uint64_t count = 1);

  EventTable events_;
  RowStage stage_;
  std::vector<OrderedRows> ordered_;
  bool events_lost_ = false;  // one was refused

 private:
  Row room_ = 0;  // rows that fit into what every column has
};

}  // namespace stepscope
