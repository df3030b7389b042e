// SPDX-License-Identifier: Apache-2.0
#include "trace/order_check.h"

#include <algorithm>

namespace stepscope {
namespace {

constexpr uint64_t kDisorder = uint64_t{1} << 63;

}  // namespace

void OrderCheck::Add(const int64_t* start_ns, const int64_t* dur_ns,
                     size_t count) {
  constexpr size_t kStep = 4096;
  for (size_t done = 0; done < count; done += kStep) {
    const size_t n = std::min(count - done, kStep);
    // Each event opens one at most: the loop need not ask for room.
    if (outer_.size() < depth_ + n) outer_.resize(depth_ + n);
    AddSome(start_ns + done, dur_ns + done, n);
  }
}

// Does little per event, and takes no branch that a regular program would not
// make predictable.
void OrderCheck::AddSome(const int64_t* start_ns, const int64_t* dur_ns,
                         size_t count) {
  int64_t* const bottom = outer_.data();
  int64_t* top = bottom + depth_;
  int64_t open_end = open_end_;
  if (first_) {
    first_start_ = static_cast<uint64_t>(start_ns[0]);
    start_ = first_start_ - 1;
    first_ = false;
  }
  uint64_t start_before = start_;
  uint64_t dur_before = dur_;
  auto end_before = static_cast<int64_t>(start_before + dur_before);
  uint64_t durs = durs_;
  uint64_t disorder = disorder_;
  for (size_t i = 0; i < count; ++i) {
    const auto start = static_cast<uint64_t>(start_ns[i]);
    const auto dur = static_cast<uint64_t>(dur_ns[i]);
    const auto begin = static_cast<int64_t>(start);
    const auto end = static_cast<int64_t>(start + dur);
    if (begin < end_before) {
      *top++ = open_end;
      open_end = end_before;
    } else {
      while (begin >= open_end && top != bottom) open_end = *--top;
    }
    durs |= dur;
    const uint64_t step = start - start_before;
    disorder |= (static_cast<uint64_t>(open_end) - static_cast<uint64_t>(end)) |
                step | ((step - 1) & (dur_before - dur));
    start_before = start;
    dur_before = dur;
    end_before = end;
  }
  depth_ = static_cast<size_t>(top - bottom);
  open_end_ = open_end;
  start_ = start_before;
  dur_ = dur_before;
  durs_ = durs;
  disorder_ = disorder;
}

void OrderCheck::AddOpen(int64_t start_ns) {
  // Who began at the same time and ended is shorter, and stands before it.
  const bool shorter_before = !first_ &&
                              start_ns == static_cast<int64_t>(start_) &&
                              EndBefore() != kNever;
  const int64_t no_time = 0;
  Add(&start_ns, &no_time, 1);
  if (shorter_before || open_end_ != kNever) disorder_ |= kDisorder;
  dur_ = static_cast<uint64_t>(kNever) - start_;
  open_levels_.push_back(depth_ + 1);
}

void OrderCheck::End(int64_t end_ns) {
  // Those above it are of levels up to depth_ + 1, the event before.
  if (open_levels_.empty() || open_levels_.back() > depth_ + 1) {
    disorder_ |= kDisorder;
    return;
  }
  const size_t level = open_levels_.back();
  open_levels_.pop_back();
  bool late = static_cast<int64_t>(start_) > end_ns;
  if (level == depth_ + 1) {
    dur_ = static_cast<uint64_t>(end_ns) - start_;
  } else {
    late |= EndBefore() > end_ns;
    for (size_t above = level + 1; above < depth_; ++above)
      late |= outer_[above] > end_ns;
    if (level < depth_) late |= open_end_ > end_ns;
    (level < depth_ ? outer_[level] : open_end_) = end_ns;
  }
  if (late) disorder_ |= kDisorder;
}

}  // namespace stepscope
