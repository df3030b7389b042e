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

#include "trace/trace_builder.h"

namespace stepscope::json {

class PaddleTimes {
 public:
  struct Stated {
    Row row = kNoRow;
    uint32_t track = 0;
    int64_t ts_ns = 0;   // rounded down to the microsecond
    int64_t own_ns = 0;  // from the earliest event on, single precision
    int64_t dur_ns = 0;
    bool is_call = false;   // of a device's API; stands behind its event
    bool is_exact = false;  // ts_ns has nanoseconds and stays
    // The first word of the name: "add infer_meta" lies in an "add dygraph",
    // where times leave a choice.
    StringId word;
  };

  // In the order of the file.
  void Add(const Stated& event);
  // Memory belongs to the event of its thread that it stands behind.
  void AddMemory(MemoryEvent event);

  // Gives all of them to the builder. Returns the earliest start, or INT64_MAX.
  // `stated_peaks`: memory events state peaks of the process's life.
  int64_t Finish(TraceBuilder& builder, bool stated_peaks);

 private:
  struct Event {
    Stated stated;
    int64_t start_ns = 0;
    int64_t low_ns = 0;  // it starts between these
    int64_t high_ns = 0;
    int64_t dur_ns = 0;
    int64_t inside_ns = 0;  // durations of what lies in it
    uint32_t parent = 0;    // comes before it
    uint32_t last_child = 0;

    int64_t end_ns() const { return start_ns + dur_ns; }
    bool MayFollow(const Event& before) const;
    // In how many places it may lie in the other; at most 0: it cannot.
    int64_t RoomIn(const Event& around) const;
  };
  using Events = std::vector<Event>;
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
  // By the order of the file: all outermost events of the thread, then those
  // one level below, and so on. False: that is not its order.
  static bool FindParentsByOrder(Events& events);
  // By time alone. Orders the events.
  static void FindParentsByTime(Events& events);
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
