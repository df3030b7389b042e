// SPDX-License-Identifier: Apache-2.0
#include "report/text_table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/visible_text.h"

namespace stepscope {
namespace {

constexpr std::string_view kGap = "  ";

}  // namespace

TextTable::TextTable(std::string& out, std::vector<size_t> widths)
    : out_(out), widths_(std::move(widths)) {
  for (const size_t width : widths_) length_ += width + kGap.size();
  length_ -= kGap.size();
}

void TextTable::Title(std::string_view text) {
  const size_t width = DisplayWidth(text);
  const size_t dashes = width < length_ ? length_ - width : 0;
  out_.append(dashes / 2, '-');
  out_ += text;
  out_.append(dashes - dashes / 2, '-');
  out_ += '\n';
}

void TextTable::Separator() {
  for (const size_t width : widths_) {
    out_.append(width, '-');
    out_ += kGap;
  }
  out_ += '\n';
}

void TextTable::Row(const std::vector<std::string>& cells) {
  for (size_t i = 0; i < cells.size() && i < widths_.size(); ++i) {
    out_ += cells[i];
    const size_t width = DisplayWidth(cells[i]);
    if (width < widths_[i]) out_.append(widths_[i] - width, ' ');
    out_ += kGap;
  }
  out_ += '\n';
}

void TextTable::Line(std::string_view text) {
  out_ += text;
  out_ += '\n';
}

void TextTable::End() { out_ += "\n\n"; }

std::vector<std::vector<size_t>> PartsOf(const std::vector<size_t>& widths,
                                         const std::vector<size_t>& keys,
                                         size_t most) {
  std::vector<size_t> all(widths.size());
  std::iota(all.begin(), all.end(), size_t{0});
  if (most == 0 || WidthOfLine(widths) <= most) return {all};
  std::vector<std::vector<size_t>> parts = {keys};
  const size_t of_keys = WidthOfLine(Picked(widths, keys));
  size_t width = of_keys;
  for (const size_t i : all) {
    if (std::ranges::find(keys, i) != keys.end()) continue;
    const size_t own = widths[i] + kGap.size();
    if (parts.back().size() > keys.size() && width + own > most) {
      parts.push_back(keys);
      width = of_keys;
    }
    parts.back().push_back(i);
    width += own;
  }
  return parts;
}

size_t WidthOfLine(const std::vector<size_t>& widths) {
  size_t all = widths.size() * kGap.size();
  for (const size_t width : widths) all += width;
  return all;
}

}  // namespace stepscope
