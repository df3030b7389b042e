// SPDX-License-Identifier: Apache-2.0
//
// ClockMap: counter ticks to nanoseconds, piecewise linear between the anchors
// of a capture and continued beyond them at the average rate. Monotone; exact
// (the floor of the rational value) where anchors lie less than 2^32 ticks
// apart, else within 1 ns of that. Time 0 is the first anchor.
#pragma once

#include <cstdint>
#include <vector>

#include "format/block.h"

namespace stepscope::capture {

// Times outside +-kTimeLimitNs (73 years) are cut off there.
inline constexpr int64_t kTimeLimitNs = int64_t{1} << 61;

class ClockMap {
 public:
  // No anchors: one tick is one nanosecond from tick 0.
  ClockMap();
  // Anchors in any order; those that run backwards are left out.
  // `nominal_hz` (0: unknown) is the rate where there is one anchor only.
  ClockMap(std::vector<format::Anchor> anchors, uint64_t nominal_hz);

  int64_t ToNs(uint64_t tick) const;

  const std::vector<format::Anchor>& anchors() const { return anchors_; }
  uint64_t anchors_left_out() const { return left_out_; }
  bool rate_known() const { return rate_known_; }
  double ticks_per_second() const { return ticks_per_second_; }

  // ns + (tick - this->tick) * (whole + fraction / 2^64), for `span` ticks.
  struct Segment {
    uint64_t tick = 0;
    uint64_t span = 0;  // below 2^63
    int64_t ns = 0;
    uint64_t whole = 0;
    uint64_t fraction = 0;

    bool Holds(uint64_t t) const { return t - tick < span; }
    int64_t At(uint64_t t) const { return ns + Advance(t - tick); }
    int64_t Advance(uint64_t ticks) const {
      __extension__ using Wide = unsigned __int128;
      return static_cast<int64_t>(
          ticks * whole +
          static_cast<uint64_t>((static_cast<Wide>(ticks) * fraction) >> 64));
    }
  };
  // The segment that holds `tick`; one with span 0 where none does.
  Segment Find(uint64_t tick) const;

 private:
  std::vector<format::Anchor> anchors_;
  std::vector<Segment> segments_;  // by tick; the last goes on beyond
  Segment backward_;               // before the first, counted backwards
  uint64_t left_out_ = 0;
  bool rate_known_ = false;
  double ticks_per_second_ = 0;
};

}  // namespace stepscope::capture
