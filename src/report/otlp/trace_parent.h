// SPDX-License-Identifier: Apache-2.0
//
// W3C trace context: "00-<32 hex>-<16 hex>-<2 hex>", which a caller sends with
// a request to say which span it belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "report/otlp/spans.h"

namespace stepscope::otlp {

struct TraceParent {
  TraceId trace = {};
  SpanId span = {};
  uint8_t flags = 0;
};

// Nothing if it is not valid: what then is to be done is to begin a new trace.
// Of versions to come, what version 00 has is taken.
std::optional<TraceParent> ParseTraceParent(std::string_view text);

}  // namespace stepscope::otlp
