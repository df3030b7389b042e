// SPDX-License-Identifier: Apache-2.0
//
// Calls that launch nothing and that nothing waits for are no nodes of a
// replay, nor are waits for nobody: in a trace without device work they are
// nearly all there is. Those between two nodes of a thread are a run, which
// takes its time before the gap of the second node. A call takes two bytes, as
// a rule; its times are those of the trace.
#pragma once

#include <cstdint>

#include "analysis/replay/ns32.h"
#include "base/column.h"
#include "trace/trace.h"

namespace stepscope {

struct CallRun {
  uint32_t node = 0;        // the one that it comes before
  uint32_t count : 31 = 0;  // of its parts; at least one
  uint32_t ends_with_call : 1 = 0;
  uint64_t first = 0;  // where they are stored
  int64_t end_ns = 0;  // recorded: when the last of them ended
};

// What a part of a run takes. A change alters a copy.
struct PartTime {
  Ns32 gap;  // after the end of what is before it
  Ns32 dur;
};

// A call, or the moment at which a silence of the thread ended.
struct RunPart {
  Row row = kNoRow;         // kNoRow: a moment
  int64_t at = 0;           // recorded: its start
  uint32_t events = 0;      // half events since what is before it
  bool after_call = false;  // that is a call
  PartTime time;

  bool is_call() const { return row != kNoRow; }
};

// The parts of the runs of one thread, in the order of time.
class RunBytes {
 public:
  size_t size() const { return bytes_.size(); }
  // Where memory is refused, both return false and all is as it was.
  [[nodiscard]] bool AppendCall(Row row, uint32_t events, bool begins_run) {
    if (!Append(uint64_t{events} << 1, begins_run ? row : row - last_row_))
      return false;
    last_row_ = row;
    return true;
  }
  // REQUIRES: `gap_ns` is not negative.
  [[nodiscard]] bool AppendMoment(int64_t gap_ns, uint32_t events,
                                  bool begins_run) {
    if (!Append(uint64_t{events} << 1 | 1, static_cast<uint64_t>(gap_ns)))
      return false;
    if (begins_run) last_row_ = 0;
    return true;
  }

  // Calls `call(row, events)` or `moment(gap_ns, events)` for each part.
  template <typename Call, typename Moment>
  void ForEach(const CallRun& run, Call call, Moment moment) const {
    const uint8_t* at = bytes_.data() + run.first;
    Row row = 0;
    for (uint32_t i = 0; i < run.count; ++i) {
      const uint64_t head = TakeNumber(at);
      const uint64_t value = TakeNumber(at);
      const auto events = static_cast<uint32_t>(head >> 1);
      if ((head & 1) != 0) {
        moment(static_cast<int64_t>(value), events);
      } else {
        row += static_cast<Row>(value);
        call(row, events);
      }
    }
  }

 private:
  [[nodiscard]] bool Append(uint64_t head, uint64_t value) {
    const size_t before = bytes_.size();
    if (AppendNumber(head) && AppendNumber(value)) return true;
    static_cast<void>(bytes_.Resize(before));  // never grows
    return false;
  }
  // Seven bits at a time, the lowest first.
  [[nodiscard]] bool AppendNumber(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      if (!bytes_.Append(static_cast<uint8_t>(value | 0x80))) return false;
    return bytes_.Append(static_cast<uint8_t>(value));
  }
  static uint64_t TakeNumber(const uint8_t*& at) {
    uint64_t value = *at & 0x7f;
    for (unsigned shift = 7; (*at++ & 0x80) != 0; shift += 7)
      value |= uint64_t{*at & 0x7fu} << shift;
    return value;
  }

  Column<uint8_t> bytes_;
  Row last_row_ = 0;  // of the run; 0: it has no call yet
};

}  // namespace stepscope
