// SPDX-License-Identifier: Apache-2.0
//
// OrderCheck: whether the events of a track come ordered by (start,
// -duration) and nested, so that they can stay where they are. Every event of
// every trace passes through it once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepscope {

class OrderCheck {
 public:
  // The next events of the track.
  void Add(const int64_t* start_ns, const int64_t* dur_ns, size_t count);

  // The next event is one whose end is not known yet; and now it is known, of
  // the last one for which it was not. All that came in between must have
  // begun and ended by then.
  void AddOpen(int64_t start_ns);
  void End(int64_t end_ns);

  // Ordered and nested, and no event has a negative duration, or a time beyond
  // +-2^62 ns, with which sums and differences might overflow.
  bool ordered() const {
    // Of starts that ascend, the first and the last tell.
    return !Negative(disorder_) && !Negative(durs_ | (durs_ << 1)) &&
           (first_ || (!Negative(first_start_ + kNever) &&
                       !Negative(start_ + kNever)));
  }

 private:
  static bool Negative(uint64_t bits) { return bits >> 63 != 0; }
  int64_t EndBefore() const { return static_cast<int64_t>(start_ + dur_); }
  void AddSome(const int64_t* start_ns, const int64_t* dur_ns, size_t count);

  // Ends of the events that enclose the one before, by level: outer_[0] never
  // comes, the innermost (of level depth_) is open_end_, those between are in
  // outer_.
  static constexpr int64_t kNever = int64_t{1} << 62;
  int64_t open_end_ = kNever;
  std::vector<int64_t> outer_;
  size_t depth_ = 0;
  std::vector<size_t> open_levels_;  // of events whose end is not known
  // The event before.
  uint64_t start_ = 0;
  uint64_t dur_ = 0;
  bool first_ = true;
  uint64_t first_start_ = 0;
  uint64_t durs_ = 0;      // all their bits
  uint64_t disorder_ = 0;  // negative: there was some
};

}  // namespace stepscope
