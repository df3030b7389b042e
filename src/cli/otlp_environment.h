// SPDX-License-Identifier: Apache-2.0
//
// What OpenTelemetry's own programs take from the environment.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/otlp/spans.h"

namespace stepscope {

// "a=b,c=d%20e", as OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES
// have it: values are percent-encoded. What is not KEY=VALUE, or holds a
// control character, is left out; `bad` gets its key, never its value, which
// may be a secret.
using KeyValues = std::vector<std::pair<std::string, std::string>>;
KeyValues ParseKeyValues(std::string_view text, std::vector<std::string>* bad);

// Attributes by OTEL_RESOURCE_ATTRIBUTES; service.name by OTEL_SERVICE_NAME,
// which wins.
otlp::Attributes ResourceOfEnvironment(std::vector<std::string>* bad);

}  // namespace stepscope
