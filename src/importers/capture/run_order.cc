// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/run_order.h"

namespace stepscope::capture {

void RunOrder::StartRun(uint32_t track, Row first) {
  if (!started_ || track != track_) {
    CloseTrack();
    started_ = true;
    track_ = track;
    first_ = next_ = first;
  }
}

void RunOrder::CheckTo(Row row) {
  const auto add = [this](Row to) {
    check_.Add(rows_.start_ns + next_, rows_.dur_ns + next_, to - next_);
    next_ = to;
  };
  for (; open_done_ < open_rows_.size() && open_rows_[open_done_] < row;
       ++open_done_) {
    const Row open = open_rows_[open_done_];
    add(open);
    check_.AddOpen(rows_.start_ns[open]);
    waiting_.push_back(open);
    ++next_;
  }
  add(row);
}

Row RunOrder::End(Row at, int64_t start_ns, int64_t end_ns) {
  CheckTo(at);
  if (waiting_.empty() || rows_.start_ns[waiting_.back()] != start_ns)
    return kNoRow;
  const Row row = waiting_.back();
  waiting_.pop_back();
  check_.End(end_ns);
  return row;
}

void RunOrder::FinishRun(Row last) {
  CheckTo(last);
  open_rows_.clear();
  open_done_ = 0;
}

void RunOrder::CloseTrack() {
  all_ordered_ = all_ordered_ && check_.ordered();
  if (started_ && waiting_.empty() && check_.ordered())
    ordered_.push_back({track_, rows_.first + first_, rows_.first + next_});
  check_ = OrderCheck();
  waiting_.clear();
}

void RunOrder::Finish(TraceBuilder& builder) {
  CloseTrack();
  started_ = false;
  if (given_up_) return;
  for (const OrderedRows& rows : ordered_) builder.SetOrdered(rows);
}

}  // namespace stepscope::capture
