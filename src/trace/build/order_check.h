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
           (first_ ||
            (!Negative(first_start_ + kNever) && !Negative(start_ + kNever)));
  }

 private:
  static bool Negative(uint64_t bits) { return bits >> 63 != 0; }
  int64_t EndBefore() const { return static_cast<int64_t>(start_ + dur_); }

  // Events are looked at in steps, which the first-level cache holds.
  static constexpr size_t kStep = 1024;
  // What can be said of each event of a step and the one before it alone.
  struct Pairs {
    uint64_t durs = 0;                // all bits of the durations
    uint64_t disorder = 0;            // negative: there was some
    uint64_t inner[kStep / 64] = {};  // bit i: i begins within i - 1

    void Add(const int64_t* start_ns, const int64_t* dur_ns, size_t first,
             size_t last);
    void AddOne(size_t i, int64_t start_before, int64_t dur_before,
                int64_t start, int64_t dur);
    size_t AddFours(const int64_t* start_ns, const int64_t* dur_ns,
                    size_t last);
  };
  void AddSome(const int64_t* start_ns, const int64_t* dur_ns, size_t count);
  // Follows which events enclose which, until one ends behind the one around
  // it: then false.
  bool Nest(const int64_t* start_ns, const int64_t* dur_ns, size_t count,
            const Pairs& pairs);
  bool NestEach(const int64_t* start_ns, const int64_t* dur_ns, size_t count,
                int64_t end_before);
  // `inner` as in Pairs.
  bool NestInner(const int64_t* start_ns, const int64_t* dur_ns, size_t count,
                 int64_t end_before, uint64_t inner);

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
