// SPDX-License-Identifier: Apache-2.0
//
// RunOrder: checks the order of the rows of a capture run by run, while they
// are still in the cache. The end of an event that outlived its chunk is known
// only when the record of that end comes; of a program that nests its scopes,
// it is that of the last one open.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/build/order_check.h"
#include "trace/build/trace_builder.h"

namespace stepscope::capture {

class RunOrder {
 public:
  // Rows are counted from `rows.first`.
  void Use(const TraceBuilder::Rows& rows) { rows_ = rows; }

  // A run of `track` begins with row `first`. Runs come thread by thread.
  void StartRun(uint32_t track, Row first);
  // A row of the run that has no end yet; ascending, before what follows.
  void AddOpen(Row row) { open_rows_.push_back(row); }
  // Before row `at` of the run the event that began at `start_ns` ended. Says
  // which row that is, or kNoRow if it is not the last one open.
  Row End(Row at, int64_t start_ns, int64_t end_ns);
  // The run ends before row `last`.
  void FinishRun(Row last);

  // Something was not what it seemed to be: nothing is known.
  void GiveUp() { given_up_ = true; }
  bool given_up() const { return given_up_; }
  // Whether all that was checked so far is in order, its times in range.
  bool ordered_so_far() const {
    return !given_up_ && all_ordered_ && check_.ordered();
  }
  // After the last run: tells the builder which tracks are in order.
  void Finish(TraceBuilder& builder);

 private:
  void CheckTo(Row row);
  void CloseTrack();

  TraceBuilder::Rows rows_;
  OrderCheck check_;
  bool started_ = false;
  uint32_t track_ = 0;
  Row first_ = 0;               // of the track
  Row next_ = 0;                // to be checked
  std::vector<Row> open_rows_;  // of the run
  size_t open_done_ = 0;        // how many of them were checked
  std::vector<Row> waiting_;    // of the track, without an end yet
  std::vector<OrderedRows> ordered_;
  bool all_ordered_ = true;  // tracks that are closed
  bool given_up_ = false;
};

}  // namespace stepscope::capture
