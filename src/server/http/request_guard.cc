// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_guard.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "server/http/host_name.h"
#include "server/http/request_head.h"

namespace stepscope::server {
namespace {

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
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

RequestGuard::RequestGuard(std::string host, std::string token,
                           Allowances allowed)
    : hosts_(KnownHosts(host)),
      any_address_(!IsLoopback(host)),
      token_(std::move(token)),
      allowed_(std::move(allowed)) {
  for (std::string& name : allowed_.hosts) name = Lower(name);
}

bool RequestGuard::IsAllowed(const std::string& host) const {
  return std::find(allowed_.hosts.begin(), allowed_.hosts.end(), host) !=
         allowed_.hosts.end();
}

bool RequestGuard::KnowsHost(std::string_view authority) const {
  const std::string host = HostOf(authority);
  if (host.empty()) return false;
  return std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end() ||
         IsAllowed(host) || (any_address_ && IsAddress(host));
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
  // A link on another page may lead here; nothing else of it may. Into a frame
  // comes the page alone, and the browser decides in whose.
  const std::string into = request.get_header_value("Sec-Fetch-Dest");
  const bool page = request.path == "/" || request.path == "/index.html";
  const bool followed =
      request.get_header_value("Sec-Fetch-Mode") == "navigate" &&
      (into == "document" || (into == "iframe" && page && allowed_.frames));
  if (!site.empty() && site != "same-origin" && site != "none" && !followed)
    return {403, "other pages may not use this server"};
  return {};
}

// A proxy in front may want Authorization for itself.
bool RequestGuard::IsToken(std::string_view own,
                           std::string_view authorization) const {
  if (!own.empty()) return SameToken(own, token_);
  constexpr std::string_view kScheme = "Bearer ";
  return authorization.starts_with(kScheme) &&
         SameToken(authorization.substr(kScheme.size()), token_);
}

bool RequestGuard::HasToken(const Request& request) const {
  return IsToken(request.get_header_value("Stepscope-Token"),
                 request.get_header_value("Authorization"));
}

bool RequestGuard::MayBringBody(std::string_view head) const {
  return IsToken(HeaderIn(head, "stepscope-token"),
                 HeaderIn(head, "authorization"));
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
    const std::string_view authority =
        std::string_view(origin).substr(name == origin.npos ? 0 : name + 3);
    // A proxy in front may have put another name into Host.
    if (name == origin.npos ||
        (Lower(authority) != Lower(request.get_header_value("Host")) &&
         !IsAllowed(HostOf(authority))))
      return {403, "other pages may not use this server"};
  }
  if (!HasToken(request))
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
