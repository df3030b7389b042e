// SPDX-License-Identifier: Apache-2.0
#include "analysis/warmup.h"

#include <algorithm>
#include <optional>

#include "analysis/order_statistics.h"

namespace stepscope {
namespace {

// By length alone: so many deviations above the median, and so much of it.
constexpr double kDeviations = 4;
constexpr double kExcess = 0.2;
constexpr double kExcessOfFew = 0.5;  // while there are few to compare with
constexpr size_t kFewSettled = 4;
constexpr size_t kOutliers = 5;  // at most one in so many of the rest

// With setting up to explain it.
constexpr double kExplainedExcess = 0.1;
constexpr double kExplainedExcessOfTwo = 2;
constexpr double kExplains = 1.0 / 3;  // of the excess
constexpr double kNeverSettled = 0.5;  // of the last step

// Beyond half of the steps only so many are looked at, so that no file makes
// this slow.
constexpr size_t kMostBeyondHalf = 100;

struct Settled {
  double median = 0;
  double deviation = 0;
  size_t count = 0;
};

Settled Measure(std::span<const int64_t> periods) {
  const int64_t median = Median(periods);
  return {
      static_cast<double>(median),
      kDeviationScale * static_cast<double>(MedianDeviation(periods, median)),
      periods.size()};
}

bool IsFarAbove(double period, const Settled& settled) {
  const double share = settled.count < kFewSettled ? kExcessOfFew : kExcess;
  return period - settled.median >
         std::max(kDeviations * settled.deviation, share * settled.median);
}

// Whether steps after the first `warmup` are as long as these, again and
// again: then the first are nothing special.
bool LongStepsGoOn(std::span<const int64_t> periods, size_t warmup,
                   const Settled& settled) {
  const auto rest = periods.subspan(warmup);
  const auto count = static_cast<size_t>(
      std::count_if(rest.begin(), rest.end(), [&](int64_t period) {
        return IsFarAbove(static_cast<double>(period), settled);
      }));
  return count > std::max<size_t>(1, rest.size() / kOutliers);
}

}  // namespace

size_t CountWarmup(std::span<const int64_t> periods,
                   const std::function<int64_t(size_t)>& set_up_ns,
                   bool chosen) {
  const size_t count = periods.size();
  if (count < 2) return 0;
  const size_t half = count / 2;
  Settled settled = Measure(periods.last(count - half));
  const size_t most = std::min(count - 1, half + kMostBeyondHalf);
  // A program that sets up to the end never settled.
  std::optional<bool> settles;
  const auto does_settle = [&] {
    if (!settles)
      settles = static_cast<double>(set_up_ns(count - 1)) <
                kNeverSettled * static_cast<double>(periods.back());
    return *settles;
  };
  size_t far_above = 0;
  while (far_above < half &&
         IsFarAbove(static_cast<double>(periods[far_above]), settled))
    ++far_above;
  const bool long_steps_go_on = LongStepsGoOn(periods, far_above, settled);
  for (size_t i = 0; i < most; ++i) {
    // What may be warm-up itself is nothing to compare with.
    if (i >= half) settled = Measure(periods.subspan(i + 1));
    const auto period = static_cast<double>(periods[i]);
    if (!chosen && count > 2 && i < half && !long_steps_go_on &&
        IsFarAbove(period, settled))
      continue;
    const double excess = period - settled.median;
    const double needed = count == 2 ? kExplainedExcessOfTwo : kExplainedExcess;
    if (excess > needed * settled.median &&
        static_cast<double>(set_up_ns(i)) >= kExplains * excess &&
        does_settle())
      continue;
    return i;
  }
  return most;
}

}  // namespace stepscope
