// SPDX-License-Identifier: Apache-2.0
#include "importers/chrome/event_time.h"

#include "importers/json/number.h"

namespace stepscope::json {
namespace {

// Far from where sums overflow; 73 years either side of zero, and of 1970 up
// to 2043 with epoch times as nanoseconds.
constexpr int64_t kTimeBound = int64_t{1} << 61;

bool InRange(int64_t ns) { return ns > -kTimeBound && ns < kTimeBound; }

bool HasMoreThanThreeDecimals(std::string_view text) {
  const size_t point = text.find('.');
  return point != text.npos && text.size() - point > 4;
}

// Halves away from zero, as ParseScaled has it.
int64_t RoundThousand(int64_t value) {
  return value >= 0 ? (value + 500) / 1000 : -((-value + 500) / 1000);
}

constexpr std::string_view kNotANumber = "time is not a number";
constexpr std::string_view kOutOfRange = "time out of range";

}  // namespace

std::string_view ReadMicros(std::string_view text, int64_t& ns) {
  switch (ParseMicros(text, ns)) {
    case NumberState::kOk:
      return InRange(ns) ? std::string_view() : kOutOfRange;
    case NumberState::kNotANumber:
      return kNotANumber;
    case NumberState::kOutOfRange:
      return kOutOfRange;
  }
  return kNotANumber;
}

std::string_view ReadSpan(std::string_view ts, std::string_view dur,
                          int64_t& start_ns, int64_t& dur_ns) {
  // Without anything below a nanosecond there is nothing to round.
  if (ParsePlain(ts, 3, start_ns) && ParsePlain(dur, 3, dur_ns) &&
      InRange(start_ns) && InRange(dur_ns))
    return {};
  if (const std::string_view wrong = ReadMicros(ts, start_ns); !wrong.empty())
    return wrong;
  if (const std::string_view wrong = ReadMicros(dur, dur_ns); !wrong.empty())
    return wrong == kNotANumber ? "duration is not a number"
                                : "duration out of range";
  int64_t start_ps = 0;
  int64_t dur_ps = 0;
  int64_t end_ps = 0;
  if ((HasMoreThanThreeDecimals(ts) || HasMoreThanThreeDecimals(dur)) &&
      ParseScaled(ts, 6, start_ps) == NumberState::kOk &&
      ParseScaled(dur, 6, dur_ps) == NumberState::kOk &&
      !__builtin_add_overflow(start_ps, dur_ps, &end_ps) &&
      end_ps < INT64_MAX - 1000 && end_ps > INT64_MIN + 1000 && dur_ps >= 0)
    dur_ns = RoundThousand(end_ps) - RoundThousand(start_ps);
  return {};
}

bool ReadOwnTime(std::string_view text, int64_t& ns) {
  if (text.size() < 4 || text.front() != '"') return false;
  text = text.substr(1, text.size() - 2);
  int scale = 0;
  if (text.ends_with("us"))
    scale = 3;
  else if (text.ends_with("ms"))
    scale = 6;
  else if (!text.ends_with("ns"))
    return false;
  text.remove_suffix(2);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return ParseScaled(text, scale, ns) == NumberState::kOk && InRange(ns);
}

std::string_view WithoutDuration(std::string_view name) {
  if (!name.ends_with("s]")) return name;
  const size_t bracket = name.rfind('[');
  if (bracket == name.npos) return name;
  std::string_view inside = name.substr(bracket + 1);
  inside.remove_suffix(1);
  const size_t blank = inside.find(' ');
  if (blank == inside.npos) return name;
  const std::string_view unit = inside.substr(blank + 1);
  int64_t value = 0;
  if ((unit != "ns" && unit != "us" && unit != "ms" && unit != "s") ||
      ParseScaled(inside.substr(0, blank), 0, value) != NumberState::kOk)
    return name;
  return name.substr(0, bracket);
}

}  // namespace stepscope::json
