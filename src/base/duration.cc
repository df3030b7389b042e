// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include <charconv>
#include <cmath>
#include <string>

namespace stepscope {
namespace {

struct TimeName {
  std::string_view name;
  double ns;
};
constexpr TimeName kUnits[] = {{"ns", 1},
                               {"us", 1e3},
                               {"\xc2\xb5s", 1e3},  // micro sign
                               {"ms", 1e6},
                               {"s", 1e9}};
constexpr double kLongest = 3.2e18;

}  // namespace

Result<int64_t> ParseDuration(std::string_view text) {
  const Error bad =
      Fail(ErrorCode::kInvalidArgument,
           "\"" + std::string(text) +
               "\" is no duration; write a number above 0 and a unit: 14.9ms, "
               "2s, 800us or 1e6ns");
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value) || value <= 0) return bad;
  std::string_view unit(stop, static_cast<size_t>(end - stop));
  if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const TimeName& known : kUnits) {
    if (unit != known.name) continue;
    const double ns = value * known.ns;
    if (ns < 0.5 || ns > kLongest) return bad;
    return static_cast<int64_t>(std::llround(ns));
  }
  return bad;
}

}  // namespace stepscope
