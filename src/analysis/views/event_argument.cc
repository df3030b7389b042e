// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/event_argument.h"

#include <charconv>

#include "analysis/raw_member.h"
#include "base/text.h"

namespace stepscope {
namespace {

std::string TextOfArg(const Trace& trace, const Arg& arg) {
  switch (arg.kind) {
    case ArgKind::kInt:
      return std::to_string(arg.int_value);
    case ArgKind::kDouble:
      return Format("%.17g", arg.double_value);
    case ArgKind::kText:
    case ArgKind::kJson:
      return std::string(trace.str(arg.text));
    case ArgKind::kIntList:
      break;
  }
  std::string list;
  for (uint32_t i = 0; i < arg.list_count; ++i) {
    if (i > 0) list += ", ";
    list += std::to_string(trace.arg_ints()[arg.list_first + i]);
  }
  return list;
}

// "[128,1,1]" as "128, 1, 1", so that both ways of keeping it look alike.
std::string WithoutBrackets(std::string_view text) {
  if (text.size() < 2 || text.front() != '[') return std::string(text);
  std::string list;
  for (const char c : text.substr(1, text.size() - 2)) {
    if (c == ' ') continue;
    list += c;
    if (c == ',') list += ' ';
  }
  return list;
}

}  // namespace

std::string ArgumentText(const Trace& trace, Row row, std::string_view raw,
                         std::string_view key) {
  for (const Arg& arg : trace.args_of(row))
    if (trace.str(arg.key) == key) return TextOfArg(trace, arg);
  return WithoutBrackets(RawMember(raw, key));
}

std::optional<double> ArgumentNumber(const Trace& trace, Row row,
                                     std::string_view raw,
                                     std::string_view key) {
  const std::string text = ArgumentText(trace, row, raw, key);
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace stepscope
