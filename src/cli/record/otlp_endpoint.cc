// SPDX-License-Identifier: Apache-2.0
#include "cli/record/otlp_endpoint.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "cli/otlp_environment.h"

namespace stepscope {
namespace {

constexpr int kOtlpPort = 4318;
constexpr int kMostTimeoutMs = 30'000;

Error NoEndpoint(const std::string& text, const std::string& why) {
  return Fail(ErrorCode::kInvalidArgument, "--otlp " + text + ": " + why);
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// -1: not a port.
int PortIn(std::string_view text) {
  int port = -1;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && port > 0 && port < 65536 ? port : -1;
}

const char* OneOf(const char* first, const char* second) {
  const char* const value = std::getenv(first);
  return value != nullptr && value[0] != '\0' ? value : std::getenv(second);
}

}  // namespace

Result<OtlpEndpoint> ParseEndpoint(const std::string& text) {
  constexpr const char* kForm = "expected a form like http://localhost:4318";
  OtlpEndpoint endpoint;
  server::PostTarget& target = endpoint.target;
  std::string_view rest = text;
  target.port = kOtlpPort;
  if (TakePrefix(rest, "https://")) {
    target.tls = true;
    target.port = 443;
  } else if (TakePrefix(rest, "http://")) {
    target.port = 80;
  } else if (rest.find("://") != rest.npos) {
    return NoEndpoint(text, "expected http or https");
  }
  for (const char c : rest)
    if (c <= ' ' || c == 0x7f || c == '#') return NoEndpoint(text, kForm);
  const size_t slash = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view place = rest.substr(0, slash);
  target.path = rest.substr(slash);
  if (target.path.empty() || target.path == "/") target.path = "/v1/traces";
  if (target.path[0] == '?') target.path.insert(0, "/v1/traces");
  if (place.find('@') != place.npos)
    return NoEndpoint("...",
                      "a name and password do not go into the address; "
                      "put them into OTEL_EXPORTER_OTLP_HEADERS");
  size_t colon = place.rfind(':');
  if (TakePrefix(place, "[")) {
    const size_t close = place.find(']');
    if (close == place.npos) return NoEndpoint(text, kForm);
    target.host = place.substr(0, close);
    place.remove_prefix(close + 1);
    colon = place.empty() ? place.npos : 0;
    if (colon == 0 && place[0] != ':') return NoEndpoint(text, kForm);
  } else {
    target.host = place.substr(0, std::min(colon, place.size()));
    if (target.host.find(':') != target.host.npos)
      return NoEndpoint(text, "put an address of IPv6 into brackets");
  }
  if (target.host.empty()) return NoEndpoint(text, kForm);
  if (colon != place.npos) {
    target.port = PortIn(place.substr(colon + 1));
    if (target.port < 0) return NoEndpoint(text, "expected a port, 1 to 65535");
  }
  const bool is_v6 = target.host.find(':') != target.host.npos;
  endpoint.url = std::string(target.tls ? "https://" : "http://") +
                 (is_v6 ? "[" + target.host + "]" : target.host) + ":" +
                 std::to_string(target.port) +
                 target.path.substr(0, target.path.find('?'));
  return endpoint;
}

Result<OtlpEndpoint> EndpointOfEnvironment(const std::string& text,
                                           std::vector<std::string>* bad) {
  STEPSCOPE_TRY_ASSIGN(OtlpEndpoint endpoint, ParseEndpoint(text));
  if (const char* const headers = OneOf("OTEL_EXPORTER_OTLP_TRACES_HEADERS",
                                        "OTEL_EXPORTER_OTLP_HEADERS"))
    endpoint.target.headers = ParseKeyValues(headers, bad);
  if (const char* const timeout = OneOf("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
                                        "OTEL_EXPORTER_OTLP_TIMEOUT")) {
    const int ms = std::atoi(timeout);
    if (ms > 0) endpoint.timeout_ms = std::min(ms, kMostTimeoutMs);
  }
  return endpoint;
}

}  // namespace stepscope
