// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_pace.h"

#include <algorithm>
#include <vector>

#include "analysis/order_statistics.h"

namespace stepscope {
namespace {

// How much longer than the host's the device's steps must be. Less is jitter.
constexpr double kLonger = 1.05;

// When the device turns to each step. Work of a step that overlaps that of the
// step before (a copy that was made early, say) does not make its turn come
// sooner.
std::vector<int64_t> DeviceTurns(std::span<const StepInterval> steps) {
  std::vector<int64_t> turns;
  turns.reserve(steps.size());
  int64_t until = INT64_MIN;
  for (const StepInterval& step : steps) {
    turns.push_back(std::max(
        step.has_device() ? step.device.begin : step.range.begin, until));
    until = std::max(until, step.has_device()
                                ? std::max(step.device.end, turns.back())
                                : turns.back());
  }
  return turns;
}

double RelativeSpread(std::span<const int64_t> values, int64_t median) {
  return static_cast<double>(MedianDeviation(values, median)) /
         static_cast<double>(std::max<int64_t>(median, 1));
}

// The device paces the loop if it is still at work when the host begins the
// next step, most times, and its steps are longer: in sum, or, where the host
// waits now and then and so makes up for it, steadily.
bool DevicePaces(std::span<const StepInterval> steps,
                 std::span<const int64_t> turns) {
  std::vector<int64_t> host;
  std::vector<int64_t> device;
  size_t ahead = 0;
  int64_t host_sum = 0;
  int64_t device_sum = 0;
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    const StepInterval& step = steps[i];
    const StepInterval& next = steps[i + 1];
    if (!FollowsOn(step, next) || !step.has_device() || !next.has_device())
      continue;
    host.push_back(SaturatingSubtract(next.range.begin, step.range.begin));
    device.push_back(SaturatingSubtract(turns[i + 1], turns[i]));
    host_sum = SaturatingAdd(host_sum, host.back());
    device_sum = SaturatingAdd(device_sum, device.back());
    if (step.device.end > next.range.begin) ++ahead;
  }
  if (2 * ahead <= host.size() || 2 * (host.size() + 1) < steps.size())
    return false;
  const auto is_longer = [](int64_t a, int64_t b) {
    return static_cast<double>(a) > kLonger * static_cast<double>(b);
  };
  const int64_t host_median = Median(host);
  const int64_t device_median = Median(device);
  if (!is_longer(device_median, host_median)) return false;
  return is_longer(device_sum, host_sum) ||
         RelativeSpread(device, device_median) <
             RelativeSpread(host, host_median);
}

}  // namespace

bool SetPeriods(std::span<StepInterval> steps) {
  const std::vector<int64_t> turns = DeviceTurns(steps);
  const bool device = DevicePaces(steps, turns);
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto start = [&](size_t of) {
      return device ? turns[of] : steps[of].range.begin;
    };
    const bool has_next =
        i + 1 < steps.size() && FollowsOn(steps[i], steps[i + 1]);
    const int64_t end = has_next ? start(i + 1) : steps[i].last_end();
    steps[i].period_begin_ns = start(i);
    steps[i].period_ns =
        std::max<int64_t>(SaturatingSubtract(end, start(i)), 0);
  }
  return device;
}

}  // namespace stepscope
