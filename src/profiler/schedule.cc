// SPDX-License-Identifier: Apache-2.0
#include "profiler/schedule.h"

#include <algorithm>
#include <charconv>

namespace stepscope::profiler {
namespace {

// Sums that exceed int64 mean "longer than any run".
int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

bool ParseNumber(std::string_view text, int64_t* value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() &&
         *value >= 0;
}

}  // namespace

std::optional<StepBounds> ParseStepBounds(std::string_view text) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  StepBounds span;
  std::string_view first = text.substr(0, colon);
  std::string_view last = text.substr(colon + 1);
  if (!first.empty() && !ParseNumber(first, &span.first)) return std::nullopt;
  if (!last.empty() && !ParseNumber(last, &span.last)) return std::nullopt;
  if (span.last <= span.first) return std::nullopt;
  return span;
}

stepscope_schedule ScheduleFor(StepBounds span) {
  stepscope_schedule schedule = {};
  schedule.struct_size = sizeof(schedule);
  int64_t first = std::max<int64_t>(span.first, 0);
  if (first > 0) {
    schedule.closed = first - 1;
    schedule.ready = 1;
  }
  schedule.record = span.last - first;
  schedule.repeat = 1;
  return schedule;
}

bool IsState(int state) {
  return state >= STEPSCOPE_STATE_CLOSED &&
         state <= STEPSCOPE_STATE_RECORD_AND_RETURN;
}

}  // namespace stepscope::profiler

extern "C" int stepscope_schedule_state(const stepscope_schedule* schedule,
                                        int64_t step) noexcept {
  if (schedule == nullptr ||
      schedule->struct_size < sizeof(stepscope_schedule)) {
    return -1;
  }
  const stepscope_schedule& s = *schedule;
  if (s.closed < 0 || s.ready < 0 || s.record < 1 || s.repeat < 0 ||
      s.skip_first < 0 || step < 0) {
    return -1;
  }
  if (step < s.skip_first) return STEPSCOPE_STATE_CLOSED;
  step -= s.skip_first;
  int64_t lead = stepscope::profiler::SaturatingAdd(s.closed, s.ready);
  int64_t period = stepscope::profiler::SaturatingAdd(lead, s.record);
  if (s.repeat > 0 && step / period >= s.repeat) return STEPSCOPE_STATE_CLOSED;
  int64_t phase = step % period;
  if (phase < s.closed) return STEPSCOPE_STATE_CLOSED;
  if (phase < lead) return STEPSCOPE_STATE_READY;
  if (phase < period - 1) return STEPSCOPE_STATE_RECORD;
  return STEPSCOPE_STATE_RECORD_AND_RETURN;
}
