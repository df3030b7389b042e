// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/clock_map.h"

#include <algorithm>

#include "base/wide_integer.h"

namespace stepscope::capture {
namespace {

using format::Anchor;
using Segment = ClockMap::Segment;

// A segment of `ns` nanoseconds in `ticks` ticks, as far as the time limit.
Segment MakeSegment(uint64_t tick, int64_t at_ns, uint64_t ns, uint64_t ticks) {
  Segment s;
  s.tick = tick;
  s.ns = at_ns;
  s.whole = ns / ticks;
  // Rounded up, so that the end of the segment meets the next anchor.
  const UnsignedWideInteger fraction =
      ((UnsignedWideInteger{ns % ticks} << 64) + ticks - 1) / ticks;
  s.fraction = static_cast<uint64_t>(
      std::min<UnsignedWideInteger>(fraction, ~uint64_t{0}));
  // As many ticks as stay below the limit.
  constexpr auto kMost = static_cast<uint64_t>(INT64_MAX);
  const auto room = static_cast<uint64_t>(kTimeLimitNs - at_ns);
  s.span = static_cast<uint64_t>(
      ns == 0 ? kMost
              : std::min<UnsignedWideInteger>(
                    UnsignedWideInteger{room} * ticks / ns, kMost));
  return s;
}

bool Follows(const Anchor& a, const Anchor& b, const Anchor& first) {
  int64_t since = 0;
  return b.tick > a.tick && b.monotonic_ns >= a.monotonic_ns &&
         !__builtin_sub_overflow(b.monotonic_ns, first.monotonic_ns, &since) &&
         since < kTimeLimitNs / 2;
}

}  // namespace

ClockMap::ClockMap() {
  segments_.push_back(MakeSegment(0, 0, 1, 1));
  backward_ = segments_[0];
}

ClockMap::ClockMap(std::vector<Anchor> anchors, uint64_t nominal_hz)
    : ClockMap() {
  if (anchors.empty()) return;
  std::stable_sort(
      anchors.begin(), anchors.end(),
      [](const Anchor& a, const Anchor& b) { return a.tick < b.tick; });
  for (const Anchor& anchor : anchors) {
    if (anchors_.empty() || Follows(anchors_.back(), anchor, anchors_[0])) {
      anchors_.push_back(anchor);
    } else {
      ++left_out_;
    }
  }
  segments_.clear();
  const Anchor& first = anchors_.front();
  const Anchor& last = anchors_.back();
  for (size_t i = 0; i + 1 < anchors_.size(); ++i) {
    const Anchor& a = anchors_[i];
    const Anchor& b = anchors_[i + 1];
    const uint64_t ticks = b.tick - a.tick;
    segments_.push_back(MakeSegment(
        a.tick, a.monotonic_ns - first.monotonic_ns,
        static_cast<uint64_t>(b.monotonic_ns - a.monotonic_ns), ticks));
    segments_.back().span = std::min(segments_.back().span, ticks);
  }
  // Beyond the anchors: the average rate, else what the hardware states.
  uint64_t ns = static_cast<uint64_t>(last.monotonic_ns - first.monotonic_ns);
  uint64_t ticks = last.tick - first.tick;
  rate_known_ = ns > 0 || nominal_hz > 0;
  if (ns == 0) {
    ns = nominal_hz > 0 ? 1'000'000'000 : 1;
    ticks = nominal_hz > 0 ? nominal_hz : 1;
  }
  ticks_per_second_ =
      static_cast<double>(ticks) * 1e9 / static_cast<double>(ns);
  segments_.push_back(MakeSegment(
      last.tick, last.monotonic_ns - first.monotonic_ns, ns, ticks));
  backward_ = MakeSegment(first.tick, 0, ns, ticks);
}

ClockMap::Segment ClockMap::Find(uint64_t tick) const {
  const auto after =
      std::upper_bound(segments_.begin(), segments_.end(), tick,
                       [](uint64_t t, const Segment& s) { return t < s.tick; });
  if (after == segments_.begin()) return {};
  const Segment& segment = *(after - 1);
  return segment.Holds(tick) ? segment : Segment{};
}

int64_t ClockMap::ToNs(uint64_t tick) const {
  const uint64_t first = segments_[0].tick;
  if (tick < first) {
    const uint64_t before = first - tick;
    return before < backward_.span ? -backward_.Advance(before) : -kTimeLimitNs;
  }
  const Segment segment = Find(tick);
  return segment.span > 0 ? std::min(segment.At(tick), kTimeLimitNs)
                          : kTimeLimitNs;
}

}  // namespace stepscope::capture
