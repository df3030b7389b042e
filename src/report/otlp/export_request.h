// SPDX-License-Identifier: Apache-2.0
//
// Spans as the message that OpenTelemetry's receivers take: an
// ExportTraceServiceRequest.
#pragma once

#include <span>
#include <string>

#include "report/otlp/field_writer.h"
#include "report/otlp/spans.h"

namespace stepscope::otlp {

std::string WriteExportRequest(std::span<const ResourceSpans> processes,
                               Encoding encoding);

}  // namespace stepscope::otlp
