// SPDX-License-Identifier: Apache-2.0
#include "server/http/host_name.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace stepscope::server {
namespace {

bool IsPort(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  int port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    port = port * 10 + (c - '0');
  }
  return port <= 65535;
}

}  // namespace

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string HostOf(std::string_view authority) {
  std::string_view port;
  std::string_view host = authority;
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == authority.npos) return {};
    host = authority.substr(1, end - 1);
    if (host.find(':') == host.npos) return {};
    port = authority.substr(end + 1);
  } else if (const size_t colon = authority.find(':');
             colon != authority.npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (!port.empty() && (port[0] != ':' || !IsPort(port.substr(1)))) return {};
  return Lower(host);
}

bool IsAddress(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

bool IsHostName(const std::string& host) {
  // c_str() of an address ends at a zero byte; a name has none.
  if (host.empty() || host.size() > 253 || host.find('\0') != host.npos)
    return false;
  if (IsAddress(host)) return true;
  return host.front() != '.' && host.front() != '-' &&
         std::all_of(host.begin(), host.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '-' || c == '_';
         });
}

}  // namespace stepscope::server
