// SPDX-License-Identifier: Apache-2.0
//
// ClockMap: the affine map from the times of one clock to those of another.
// Recorded times never change; whoever shows them beside others maps them.
//
//   to = to_ns + floor((from - from_ns) * rate_to / rate_from)
//
// Computed in 128 bits: exact to the nanosecond over the whole range.
#pragma once

#include <cstdint>

namespace stepscope {

class ClockMap {
 public:
  // The identity.
  ClockMap() = default;
  static ClockMap Shift(int64_t ns);
  // The line through two pairs of readings. Readings that do not both advance,
  // or by 2^62 ns and more, make a shift by the first pair.
  static ClockMap Through(int64_t from_a, int64_t to_a, int64_t from_b,
                          int64_t to_b);
  // As the four numbers below, for who stored them.
  static ClockMap FromParts(int64_t from_ns, int64_t to_ns, int64_t rate_to,
                            int64_t rate_from);

  // Wraps where the result does not fit.
  int64_t operator()(int64_t time_ns) const {
    const auto since =
        static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(from_ns_);
    if (is_shift())
      return static_cast<int64_t>(static_cast<uint64_t>(to_ns_) + since);
    return Scaled(time_ns);
  }
  // Both clocks run at the same rate.
  bool is_shift() const { return rate_to_ == rate_from_; }
  bool is_identity() const { return is_shift() && from_ns_ == to_ns_; }
  // What is added to a time. REQUIRES: is_shift().
  int64_t shift_ns() const;
  // This map, then a shift.
  ClockMap ThenShift(int64_t ns) const;

  int64_t from_ns() const { return from_ns_; }
  int64_t to_ns() const { return to_ns_; }
  int64_t rate_to() const { return rate_to_; }
  int64_t rate_from() const { return rate_from_; }

  friend bool operator==(const ClockMap&, const ClockMap&) = default;

 private:
  int64_t Scaled(int64_t time_ns) const;

  int64_t from_ns_ = 0;
  int64_t to_ns_ = 0;
  int64_t rate_to_ = 1;  // both positive, below 2^62
  int64_t rate_from_ = 1;
};

}  // namespace stepscope
