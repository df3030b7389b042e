// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_head.h"

#include <strings.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.h"

namespace stepscope::server {
namespace {

using State = HeadCheck::State;

HeadCheck Refuse(int status, std::string_view why) {
  return {State::kRefused, 0, 0, status, why};
}

bool IsTokenByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7f &&
         std::string_view("()<>@,;:\\\"/[]?={}").find(c) ==
             std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenByte);
}

bool Same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// "GET /path HTTP/1.1"
HeadCheck CheckRequestLine(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == line.npos || first == last)
    return Refuse(400, "the request line is malformed");
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsToken(line.substr(0, first)))
    return Refuse(400, "the method is malformed");
  const bool visible = std::all_of(target.begin(), target.end(),
                                   [](char c) { return c > 0x20 && c < 0x7f; });
  if (target.empty() || target[0] != '/' || !visible)
    return Refuse(400, "the target is not a path");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return Refuse(505, "this server speaks HTTP/1.1");
  return {};
}

// Digits alone, so that every reader takes them for the same number.
std::optional<size_t> LengthIn(std::string_view value) {
  if (value.empty() || value.size() > 9) return std::nullopt;
  size_t length = 0;
  for (const char c : value) {
    if (c < '0' || c > '9') return std::nullopt;
    length = length * 10 + static_cast<size_t>(c - '0');
  }
  return length;
}

// What a server that takes no ranges and protocols must not be given.
HeadCheck CheckHeader(std::string_view line, uint32_t& once, size_t& body) {
  const size_t colon = line.find(':');
  if (colon == line.npos || !IsToken(line.substr(0, colon)))
    return Refuse(400, "a header is malformed");
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = Trimmed(line.substr(colon + 1), " \t");
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7f)
      return Refuse(400, "a header holds a control character");
  }
  constexpr std::string_view kOnce[] = {
      "host",           "authorization",  "content-length",
      "sec-fetch-site", "origin",         "connection",
      "sec-fetch-mode", "sec-fetch-dest", "stepscope-token"};
  for (uint32_t i = 0; i < std::size(kOnce); ++i) {
    if (!Same(name, kOnce[i])) continue;
    if ((once & (1u << i)) != 0) return Refuse(400, "a header stands twice");
    once |= 1u << i;
    // The parser behind us would decode it: what is judged must be what was
    // sent.
    if (value.find('%') != value.npos)
      return Refuse(400, "a header holds a percent sign");
  }
  if (Same(name, "transfer-encoding") || Same(name, "expect"))
    return Refuse(413, "the length of a body must be said");
  if (Same(name, "content-length")) {
    const std::optional<size_t> length = LengthIn(value);
    if (!length) return Refuse(413, "the body is too long");
    body = *length;
  }
  if (Same(name, "range")) return Refuse(416, "ranges are not supported");
  return {};
}

}  // namespace

HeadCheck CheckHead(std::string_view bytes) {
  size_t at = 0;
  size_t lines = 0;
  uint32_t once = 0;
  size_t body = 0;
  while (true) {
    const size_t end = bytes.find('\n', at);
    if (end == bytes.npos) {
      return bytes.size() >= kMaxHeadBytes
                 ? Refuse(431, "the request is too long")
                 : HeadCheck{};
    }
    if (end >= kMaxHeadBytes) return Refuse(431, "the request is too long");
    if (end == at || bytes[end - 1] != '\r')
      return Refuse(400, "a line does not end in CR LF");
    const std::string_view line = bytes.substr(at, end - 1 - at);
    at = end + 1;
    if (line.find('\r') != line.npos || line.find('\0') != line.npos)
      return Refuse(400, "a line holds a control character");
    if (lines == 0) {
      const HeadCheck check = CheckRequestLine(line);
      if (check.state == State::kRefused) return check;
    } else if (line.empty()) {
      return {State::kComplete, at, body, 0, {}};
    } else {
      if (lines > kMaxHeaders) return Refuse(431, "too many headers");
      const HeadCheck check = CheckHeader(line, once, body);
      if (check.state == State::kRefused) return check;
    }
    ++lines;
  }
}

std::string_view HeaderIn(std::string_view head, std::string_view name) {
  for (size_t at = head.find("\r\n"); at != head.npos;
       at = head.find("\r\n", at + 2)) {
    const std::string_view rest = head.substr(at + 2);
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    const size_t colon = line.find(':');
    if (colon != line.npos && Same(line.substr(0, colon), name))
      return Trimmed(line.substr(colon + 1), " \t");
  }
  return {};
}

}  // namespace stepscope::server
