// SPDX-License-Identifier: Apache-2.0
//
// PaddleTimes: when the events of one of Paddle's files were.
//
// Such a file states a start twice: `ts` in whole microseconds, rounded down,
// and `start_time` from the earliest event on, with single precision (4 ns off
// after a minute is not unusual for a step, 2 us for a whole window). `dur` is
// exact below 16 ms. No two of them alone keep what was nested nested. Here
// starts are chosen that agree with all of them, in three steps: where the
// earliest event lies in its microsecond, from all others; each start, within
// what both statements leave; and then as little off it as lets every event
// lie inside the one that it was recorded in, behind those before it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "importers/paddle/paddle_event.h"
#include "trace/build/trace_builder.h"

namespace stepscope::json {

class PaddleTimes {
 public:
  using Stated = PaddleStated;

  // In the order of the file.
  void Add(const Stated& event);
  // Memory belongs to the event of its thread that it stands behind.
  void AddMemory(MemoryEvent event);

  // Gives all of them to the builder. Returns the earliest start, or INT64_MAX.
  // `stated_peaks`: memory events state peaks of the process's life.
  int64_t Finish(TraceBuilder& builder, bool stated_peaks);

 private:
  using Event = PaddleEvent;
  using Events = PaddleEvents;
  // By event, in the order of time, what lies directly in it; behind the last
  // event, what lies in none.
  struct Children {
    std::vector<uint32_t> first;  // by event; one more
    std::vector<uint32_t> events;

    std::span<uint32_t> Of(size_t event) {
      return std::span(events).subspan(first[event],
                                       first[event + 1] - first[event]);
    }
  };

  // Of the earliest event, by all that the others say.
  int64_t FindBase(TraceBuilder& builder) const;
  static void Estimate(Event& event, int64_t base_ns);
  void PlaceEvents(TraceBuilder& builder);
  static Children PlaceThread(Events& events);
  static void PlaceStream(Events& events);
  // Of the microsecond that the file states, when the event ran and nothing in
  // it did. REQUIRES: `memory` is ordered by track and owner.
  void PlaceMemory(std::span<MemoryEvent* const> memory);

  std::vector<Events> tracks_;      // by track
  std::vector<Row> last_rows_;      // by track: the last that is no call
  std::vector<Children> children_;  // by track, once events are placed
  std::vector<MemoryEvent> memory_;
};

}  // namespace stepscope::json
