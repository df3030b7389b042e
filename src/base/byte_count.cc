// SPDX-License-Identifier: Apache-2.0
#include "base/byte_count.h"

#include <charconv>
#include <cmath>

namespace stepscope {

std::optional<uint64_t> ParseByteCount(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] =
      std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || !(value >= 0)) return std::nullopt;
  std::string_view unit(rest, static_cast<size_t>(end - rest));
  if (unit.ends_with("iB")) {
    unit.remove_suffix(2);
    if (unit.empty()) return std::nullopt;
  } else if (unit.ends_with("B")) {
    unit.remove_suffix(1);
  }
  if (!unit.empty()) {
    constexpr std::string_view kUnits = "KMGT";
    const size_t power = unit == "k" ? 0 : kUnits.find(unit[0]);
    if (unit.size() != 1 || power == kUnits.npos) return std::nullopt;
    value = std::ldexp(value, 10 * (static_cast<int>(power) + 1));
  }
  if (!(value < 9e18)) return std::nullopt;
  return static_cast<uint64_t>(value);
}

}  // namespace stepscope
