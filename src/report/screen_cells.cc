// SPDX-License-Identifier: Apache-2.0
#include "report/screen_cells.h"

#include <algorithm>

#include "base/name_display.h"
#include "base/text.h"
#include "base/visible_text.h"

namespace stepscope {

TimeUnit ScreenUnit(TimeUnit wanted, int64_t largest_ns) {
  if (wanted != TimeUnit::kAuto) return wanted;
  if (largest_ns >= 10'000'000'000) return TimeUnit::kS;
  if (largest_ns >= 1'000'000) return TimeUnit::kMs;
  return largest_ns >= 1'000 ? TimeUnit::kUs : TimeUnit::kNs;
}

std::string ScreenTime(int64_t ns, TimeUnit unit) {
  if (unit == TimeUnit::kNs) return CountText(ns);
  const double value = static_cast<double>(ns) / NanosecondsIn(unit);
  return ns > 0 && value < 0.005 ? "<0.01" : Format("%.2f", value);
}

std::string ScreenPercent(double ratio) {
  return ratio > 0 && ratio < 0.0005 ? "<0.1" : Format("%.1f", ratio * 100);
}

std::vector<std::string> ScreenTable::Lines(size_t width) const {
  constexpr size_t kGap = 2;
  constexpr size_t kIndent = 2;
  std::vector<size_t> widths(rows_[0].size(), 0);
  for (const auto& row : rows_)
    for (size_t i = 1; i < row.size(); ++i)
      widths[i] = std::max(widths[i], DisplayWidth(row[i]) + kGap);
  size_t figures = 0;
  for (const size_t column : widths) figures += column;
  const size_t name = width > figures ? width - figures : 0;
  std::vector<std::string_view> names;
  for (const auto& row : rows_) names.push_back(row[0]);
  const std::vector<std::string> shown =
      ShortenNames(names, name - std::min(kIndent, name));
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    const size_t indent = lines.empty() ? 0 : std::min(kIndent, name);
    std::string line =
        std::string(indent, ' ') + Padded(shown[lines.size()], name - indent);
    for (size_t i = 1; i < row.size(); ++i)
      line += AlignedRight(row[i], widths[i]);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string AlignedRight(std::string_view visible, size_t width) {
  const size_t wide = DisplayWidth(visible);
  return std::string(wide < width ? width - wide : 0, ' ') +
         std::string(visible);
}

std::vector<std::string> WrapInto(std::string_view text, size_t indent,
                                  size_t width, size_t lines) {
  std::vector<std::string> result;
  std::string line;
  bool empty = true;  // no word yet
  const auto blanks = std::string(indent, ' ');
  while (!text.empty()) {
    // Blanks at the head of a text are its indentation.
    size_t end = text.find_first_not_of(' ');
    if (end == text.npos) break;
    end = std::min(text.find(' ', end), text.size());
    const std::string_view word = text.substr(0, end);
    if (!empty && DisplayWidth(line) + DisplayWidth(word) > width) {
      if (result.size() + 1 == lines) {
        result.push_back(Shorten(line + std::string(text), width));
        return result;
      }
      result.push_back(line);
      line = blanks + std::string(Trimmed(word));
    } else {
      line += word;
    }
    empty = false;
    text.remove_prefix(end);
  }
  result.push_back(Shorten(line, width));
  return result;
}

}  // namespace stepscope
