// SPDX-License-Identifier: Apache-2.0
#include "trace/build/row_layout.h"
#include "trace/build/trace_builder.h"

namespace stepscope {

void TraceBuilder::ReserveStaged(uint64_t events) { stage_.Reserve(events); }

void TraceBuilder::PlaceStaged(const AtOnce& at_once) {
  if (stage_.empty()) return;
  Trace& t = *trace_;
  const Row first = event_count();
  RowLayout layout(stage_, first);
  if (!ReserveRows(layout.rows())) {
    failed_ = true;
    return;
  }
  CommitRows(layout.rows());
  const EventColumns columns = {t.start_ns_, t.dur_ns_, t.name_,
                                t.track_,    t.type_,   t.flags_};
  const auto work = [&] {
    while (layout.PlaceTrack(columns)) {
    }
  };
  if (at_once) {
    at_once(work);
  } else {
    work();
  }
  for (const OrderedRows& rows : layout.ordered()) SetOrdered(rows);
  const auto move = [&](Row& row) {
    if (row >= first && row != kNoRow) row = layout.RowOf(row - first);
  };
  for (Arg& arg : t.args_.span()) move(arg.row);
  for (Link& link : t.links_.span()) move(link.row);
  for (StoredMemoryEvent& event : t.memory_.events().span()) move(event.owner);
}

}  // namespace stepscope
