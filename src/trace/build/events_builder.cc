// SPDX-License-Identifier: Apache-2.0
#include "trace/build/events_builder.h"

#include <algorithm>

namespace stepscope {

Status EventsBuilder::ReserveRows(uint64_t count) {
  if (count >= kNoRow - event_count())
    return Fail(ErrorCode::kUnsupported,
                "more than 4,294,967,294 events in one trace");
  const Row want = event_count() + static_cast<Row>(count);
  if (!events_.Reserve(want))
    return Fail(ErrorCode::kIo, "not enough memory for the events");
  room_ = std::max(room_, want);
  return Ok();
}

bool EventsBuilder::MakeRoom(uint64_t count) {
  constexpr uint64_t kFirst = 1024;
  if (events_lost_) return false;  // the trace is; asking again takes long
  if (room_ >= event_count() && count <= room_ - event_count()) return true;
  // Doubles, up to the number of rows that there can be.
  const uint64_t more = std::max<uint64_t>(event_count(), kFirst);
  const uint64_t most = kNoRow - 1 - event_count();
  if (most >= count && ReserveRows(std::max(count, std::min(more, most))))
    return true;
  events_lost_ = true;
  return false;
}

EventsBuilder::Rows EventsBuilder::rows() {
  const Row n = event_count();
  if (events_.start_ns.data() == nullptr) return {};
  return {n,
          events_.start_ns.data() + n,
          events_.dur_ns.data() + n,
          events_.name.data() + n,
          events_.track.data() + n,
          events_.type.data() + n,
          events_.flags.data() + n};
}

}  // namespace stepscope
