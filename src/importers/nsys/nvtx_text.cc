// SPDX-License-Identifier: Apache-2.0
#include "importers/nsys/nvtx_text.h"

#include <algorithm>
#include <charconv>

namespace stepscope::nsys {
namespace {

constexpr std::string_view kSequence = ", seq = ";
constexpr std::string_view kOpId = ", op_id = ";
constexpr std::string_view kSizes = ", sizes = ";
constexpr std::string_view kInputs = ", input_op_ids = ";

// Takes `key` and a number off the front of `text`.
std::optional<int64_t> TakeNumber(std::string_view& text,
                                  std::string_view key) {
  if (!text.starts_with(key)) return std::nullopt;
  const char* const first = text.data() + key.size();
  const char* const last = text.data() + text.size();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// The same with a bracketed list of numbers, which may hold others.
std::string_view TakeList(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key)) return {};
  const std::string_view rest = text.substr(key.size());
  int depth = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '[')
      ++depth;
    else if (c == ']')
      --depth;
    else if (std::string_view("0123456789-, ()").find(c) == rest.npos)
      break;
    if (depth < 1) {
      if (c != ']') break;
      text = rest.substr(i + 1);
      return rest.substr(0, i + 1);
    }
  }
  return {};
}

}  // namespace

NvtxText ParseNvtxText(std::string_view text) {
  NvtxText whole = {};
  whole.name = text;
  const size_t end =
      std::min({text.find(kSequence), text.find(kOpId), text.find(kSizes)});
  if (end == text.npos) return whole;
  NvtxText parts = {};
  parts.name = text.substr(0, end);
  parts.of_operator = true;
  std::string_view rest = text.substr(end);
  parts.sequence = TakeNumber(rest, kSequence);
  parts.op_id = TakeNumber(rest, kOpId);
  const std::string_view sizes = TakeList(rest, kSizes);
  if (sizes.find('(') == sizes.npos) parts.sizes = sizes;
  parts.input_op_ids = TakeList(rest, kInputs);
  const bool read = rest.empty() && parts.sizes.size() == sizes.size();
  return read && !parts.name.empty() ? parts : whole;
}

}  // namespace stepscope::nsys
