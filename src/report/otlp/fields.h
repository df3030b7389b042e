// SPDX-License-Identifier: Apache-2.0
//
// The fields of OpenTelemetry's protocol for traces (OTLP 1.x) that we write:
// the number in protobuf and the name in JSON, side by side. Fixed by
// opentelemetry-proto; docs/formats/otlp.md describes what goes into them.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope::otlp {

struct Field {
  uint32_t number;
  std::string_view name;
};

namespace export_request {  // ExportTraceServiceRequest
inline constexpr Field kResourceSpans{1, "resourceSpans"};
}
namespace resource_spans {
inline constexpr Field kResource{1, "resource"};
inline constexpr Field kScopeSpans{2, "scopeSpans"};
inline constexpr Field kSchemaUrl{3, "schemaUrl"};
}  // namespace resource_spans
namespace resource {
inline constexpr Field kAttributes{1, "attributes"};
}
namespace scope_spans {
inline constexpr Field kScope{1, "scope"};
inline constexpr Field kSpans{2, "spans"};
}  // namespace scope_spans
namespace scope {
inline constexpr Field kName{1, "name"};
inline constexpr Field kVersion{2, "version"};
}  // namespace scope
namespace span {
inline constexpr Field kTraceId{1, "traceId"};
inline constexpr Field kSpanId{2, "spanId"};
inline constexpr Field kParentSpanId{4, "parentSpanId"};
inline constexpr Field kName{5, "name"};
inline constexpr Field kKind{6, "kind"};
inline constexpr Field kStart{7, "startTimeUnixNano"};
inline constexpr Field kEnd{8, "endTimeUnixNano"};
inline constexpr Field kAttributes{9, "attributes"};
inline constexpr Field kEvents{11, "events"};
inline constexpr Field kLinks{13, "links"};
inline constexpr Field kDroppedLinks{14, "droppedLinksCount"};
inline constexpr Field kStatus{15, "status"};
inline constexpr Field kFlags{16, "flags"};
}  // namespace span
namespace status {
inline constexpr Field kCode{3, "code"};
}
namespace event {
inline constexpr Field kTime{1, "timeUnixNano"};
inline constexpr Field kName{2, "name"};
}  // namespace event
namespace link {
inline constexpr Field kTraceId{1, "traceId"};
inline constexpr Field kSpanId{2, "spanId"};
inline constexpr Field kAttributes{4, "attributes"};
}  // namespace link
namespace key_value {
inline constexpr Field kKey{1, "key"};
inline constexpr Field kValue{2, "value"};
}  // namespace key_value
namespace any_value {
inline constexpr Field kString{1, "stringValue"};
inline constexpr Field kBool{2, "boolValue"};
inline constexpr Field kInt{3, "intValue"};
inline constexpr Field kDouble{4, "doubleValue"};
}  // namespace any_value

}  // namespace stepscope::otlp
