// SPDX-License-Identifier: Apache-2.0
#include "trace/clock_map.h"

#include "base/wide_integer.h"

namespace stepscope {
namespace {

constexpr int64_t kMaxRate = int64_t{1} << 62;

bool IsRate(WideInteger rate) { return rate > 0 && rate < kMaxRate; }

int64_t Wrapped(int64_t a, uint64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + b);
}

}  // namespace

ClockMap ClockMap::Shift(int64_t ns) {
  ClockMap map;
  map.to_ns_ = ns;
  return map;
}

ClockMap ClockMap::Through(int64_t from_a, int64_t to_a, int64_t from_b,
                           int64_t to_b) {
  const WideInteger from = WideInteger{from_b} - from_a;
  const WideInteger to = WideInteger{to_b} - to_a;
  if (!IsRate(from) || !IsRate(to)) return FromParts(from_a, to_a, 1, 1);
  return FromParts(from_a, to_a, static_cast<int64_t>(to),
                   static_cast<int64_t>(from));
}

ClockMap ClockMap::FromParts(int64_t from_ns, int64_t to_ns, int64_t rate_to,
                             int64_t rate_from) {
  ClockMap map;
  map.from_ns_ = from_ns;
  map.to_ns_ = to_ns;
  if (IsRate(rate_to) && IsRate(rate_from)) {
    map.rate_to_ = rate_to;
    map.rate_from_ = rate_from;
  }
  return map;
}

int64_t ClockMap::shift_ns() const {
  return Wrapped(to_ns_, -static_cast<uint64_t>(from_ns_));
}

ClockMap ClockMap::ThenShift(int64_t ns) const {
  ClockMap map = *this;
  map.to_ns_ = Wrapped(to_ns_, static_cast<uint64_t>(ns));
  return map;
}

int64_t ClockMap::Scaled(int64_t time_ns) const {
  // At most 2^64 times 2^62.
  const WideInteger product = (WideInteger{time_ns} - from_ns_) * rate_to_;
  WideInteger scaled = product / rate_from_;
  if (product % rate_from_ < 0) --scaled;  // towards the past, not towards 0
  return Wrapped(to_ns_, static_cast<uint64_t>(scaled));
}

}  // namespace stepscope
