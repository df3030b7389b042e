// SPDX-License-Identifier: Apache-2.0
#include "server/http/parameters.h"

#include <charconv>

namespace stepscope::server {
namespace {

Error Expected(std::string_view name, std::string expected) {
  return Fail(ErrorCode::kInvalidArgument,
              std::string(name) + ": expected " + std::move(expected));
}

}  // namespace

Result<int64_t> ParseInteger(std::string_view name, std::string_view text,
                             int64_t least, int64_t most) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() ||
      end != text.data() + text.size() || value < least || value > most)
    return Expected(name, "a whole number from " + std::to_string(least) +
                              " to " + std::to_string(most));
  return value;
}

Result<std::vector<uint32_t>> ParseRanges(std::string_view name,
                                          std::string_view text, uint32_t limit,
                                          size_t most) {
  std::vector<uint32_t> numbers;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const size_t dash = part.find('-');
    const int64_t last_number = int64_t{limit} - 1;
    STEPSCOPE_TRY_ASSIGN(
        const int64_t first,
        ParseInteger(name, part.substr(0, dash), 0, last_number));
    int64_t last = first;
    if (dash != part.npos) {
      STEPSCOPE_TRY_ASSIGN(
          last, ParseInteger(name, part.substr(dash + 1), first, last_number));
    }
    if (numbers.size() + static_cast<uint64_t>(last - first) >= most)
      return Expected(name, "at most " + std::to_string(most));
    for (int64_t i = first; i <= last; ++i)
      numbers.push_back(static_cast<uint32_t>(i));
  }
  if (numbers.empty()) return Expected(name, "numbers as in 0-9,40");
  return numbers;
}

std::vector<std::string> Parameters::Texts(const char* name) const {
  std::vector<std::string> texts;
  for (size_t i = 0; i < request_.get_param_value_count(name); ++i)
    texts.push_back(request_.get_param_value(name, i));
  return texts;
}

Result<int64_t> Parameters::Integer(const char* name,
                                    std::optional<int64_t> fallback,
                                    int64_t least, int64_t most) const {
  if (!has(name) && fallback) return *fallback;
  return ParseInteger(name, Text(name), least, most);
}

Result<Stretch> ReadStretch(const Parameters& parameters) {
  constexpr int64_t kLatest = INT64_MAX / 4;
  Stretch stretch;
  STEPSCOPE_TRY_ASSIGN(stretch.begin,
                       parameters.Integer("t0", 0, -kLatest, kLatest));
  STEPSCOPE_TRY_ASSIGN(
      stretch.end, parameters.Integer("t1", kLatest, stretch.begin, kLatest));
  STEPSCOPE_TRY_ASSIGN(const int64_t pixels,
                       parameters.Integer("px", 2000, 1, 20'000));
  stretch.pixels = static_cast<uint32_t>(pixels);
  return stretch;
}

}  // namespace stepscope::server
