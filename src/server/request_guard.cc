// SPDX-License-Identifier: Apache-2.0
#include "server/request_guard.h"

#include <arpa/inet.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace stepscope::server {
namespace {

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

// "localhost" of "localhost:8080", "::1" of "[::1]:8080"; empty: malformed.
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

std::vector<std::string> KnownHosts(const std::string& host) {
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "::1",
                                    Lower(host)};
  std::array<char, 256> name = {};
  if (!IsLoopback(host) && gethostname(name.data(), name.size() - 1) == 0)
    hosts.push_back(Lower(name.data()));
  return hosts;
}

}  // namespace

RequestGuard::RequestGuard(std::string host, std::string token)
    : hosts_(KnownHosts(host)),
      any_address_(!IsLoopback(host)),
      token_(std::move(token)) {}

bool RequestGuard::KnowsHost(std::string_view authority) const {
  const std::string host = HostOf(authority);
  if (host.empty()) return false;
  return std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end() ||
         (any_address_ && IsAddress(host));
}

Objection RequestGuard::CheckHost(const Request& request) const {
  if (!KnowsHost(request.get_header_value("Host")))
    return {403, "this server does not answer under that host name"};
  return {};
}

Objection RequestGuard::CheckShell(const Request& request) const {
  const Objection host = CheckHost(request);
  if (host.status != 0) return host;
  const std::string site = request.get_header_value("Sec-Fetch-Site");
  // A link on another page may lead here; nothing else of it may.
  const bool followed =
      request.get_header_value("Sec-Fetch-Mode") == "navigate" &&
      request.get_header_value("Sec-Fetch-Dest") == "document";
  if (!site.empty() && site != "same-origin" && site != "none" && !followed)
    return {403, "other pages may not use this server"};
  return {};
}

Objection RequestGuard::CheckApi(const Request& request) const {
  const Objection host = CheckHost(request);
  if (host.status != 0) return host;
  const std::string site = request.get_header_value("Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin")
    return {403, "other pages may not use this server"};
  if (request.has_header("Origin")) {
    const std::string origin = request.get_header_value("Origin");
    const size_t name = origin.find("://");
    if (name == origin.npos ||
        Lower(std::string_view(origin).substr(name + 3)) !=
            Lower(request.get_header_value("Host")))
      return {403, "other pages may not use this server"};
  }
  constexpr std::string_view kScheme = "Bearer ";
  const std::string given = request.get_header_value("Authorization");
  if (!given.starts_with(kScheme) ||
      !SameToken(std::string_view(given).substr(kScheme.size()), token_))
    return {401,
            "the token is missing or wrong; open the address that "
            "stepscope view has printed"};
  return {};
}

std::string MakeToken() {
  std::array<unsigned char, 32> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) !=
      static_cast<ssize_t>(bytes.size()))
    return {};
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

bool SameToken(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || b.empty()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace stepscope::server
