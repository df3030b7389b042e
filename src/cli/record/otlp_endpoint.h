// SPDX-License-Identifier: Apache-2.0
//
// Where run --otlp sends to.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server/http/post.h"

namespace stepscope {

struct OtlpEndpoint {
  server::PostTarget target;
  std::string url;  // for messages, without headers
  int timeout_ms = 10'000;
};

// "http://host:4318", "https://host/v1/traces", "host", "[::1]:4318": without a
// scheme it is http, without that and a port 4318, without a path /v1/traces.
// Pure.
Result<OtlpEndpoint> ParseEndpoint(const std::string& text);

// The same with the headers and the time limit of OTEL_EXPORTER_OTLP_HEADERS
// and _TIMEOUT, or those with _TRACES_, which win. `bad` gets what was left out
// of them.
Result<OtlpEndpoint> EndpointOfEnvironment(const std::string& text,
                                           std::vector<std::string>* bad);

}  // namespace stepscope
