// SPDX-License-Identifier: Apache-2.0
#include "importers/chrome/sniff.h"

#include <algorithm>
#include <cstddef>

#include "importers/json/tokens.h"

namespace stepscope::json {
namespace {

// Nearly every document has one of these keys here, wherever it is nested.
constexpr size_t kNearBytes = 4096;

// One of these is among the first keys of every document with events.
constexpr std::string_view kKeys[] = {
    "\"traceEvents\"",        "\"ph\"",
    "\"schemaVersion\"",      "\"displayTimeUnit\"",
    "\"otherData\"",          "\"stackFrames\"",
    "\"deviceProperties\"",   "\"distributedInfo\"",
    "\"baseTimeNanoseconds\""};

bool StartsWithKey(std::string_view text) {
  return std::any_of(std::begin(kKeys), std::end(kKeys),
                     [text](std::string_view key) {
                       return text.size() >= key.size() && text[1] == key[1] &&
                              text.starts_with(key);
                     });
}

// In one pass from quote to quote: as a rule the first key is one of them,
// and every second byte of a small file would be compared otherwise.
bool HasKeyNear(std::string_view text) {
  for (size_t at = text.find('"'); at != text.npos; at = text.find('"', at + 1))
    if (StartsWithKey(text.substr(at))) return true;
  return false;
}

// Behind the string that begins at `quote`.
size_t SkipString(std::string_view text, size_t quote) {
  for (size_t at = quote + 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

// Whether one of the keys is where it belongs: in the document itself, or in
// an element of an array. Farther behind, other JSON may well mention one.
bool HasKeyInPlace(std::string_view text) {
  const int level = text[0] == '{' ? 1 : 2;
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c != '"') {
      depth += (c == '{' || c == '[') - (c == '}' || c == ']');
      if (depth == 0) return false;
      ++at;
      continue;
    }
    const size_t end = SkipString(text, at);
    size_t colon = end;
    while (colon < text.size() && Tokens::IsSpace(text[colon])) ++colon;
    if (depth == level && colon < text.size() && text[colon] == ':' &&
        StartsWithKey(text.substr(at)))
      return true;
    at = end;
  }
  return false;
}

}  // namespace

bool LooksLikeTrace(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || (text[first] != '{' && text[first] != '['))
    return false;
  text.remove_prefix(first);
  if (text[0] == '[' && text.find_first_not_of(" \t\r\n,]", 1) == text.npos)
    return true;
  return HasKeyNear(text.substr(0, kNearBytes)) ||
         (text.size() > kNearBytes && HasKeyInPlace(text));
}

}  // namespace stepscope::json
