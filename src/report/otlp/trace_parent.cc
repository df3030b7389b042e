// SPDX-License-Identifier: Apache-2.0
#include "report/otlp/trace_parent.h"

#include <span>

namespace stepscope::otlp {
namespace {

// Lower case only, by the specification.
int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool ReadHex(std::string_view text, std::span<uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = HexValue(text[2 * i]);
    const int low = HexValue(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return true;
}

}  // namespace

std::optional<TraceParent> ParseTraceParent(std::string_view text) {
  constexpr size_t kLength = 55;
  constexpr uint8_t kNeverVersion = 0xff;
  if (text.size() < kLength || text[2] != '-' || text[35] != '-' ||
      text[52] != '-')
    return std::nullopt;
  uint8_t version = 0;
  TraceParent parent;
  if (!ReadHex(text, {&version, 1}) || !ReadHex(text.substr(3), parent.trace) ||
      !ReadHex(text.substr(36), parent.span) ||
      !ReadHex(text.substr(53), {&parent.flags, 1}))
    return std::nullopt;
  if (version == kNeverVersion || IsNone(parent.trace) || IsNone(parent.span))
    return std::nullopt;
  // Later versions may go on behind another dash.
  if (text.size() > kLength && (version == 0 || text[kLength] != '-'))
    return std::nullopt;
  return parent;
}

}  // namespace stepscope::otlp
