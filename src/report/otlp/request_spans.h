// SPDX-License-Identifier: Apache-2.0
//
// The requests of a server as spans: one for each request, below the span that
// its caller named, with children for its phases; and one for each iteration
// of the engine, which the phases link to. docs/formats/otlp.md has the names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/serving/requests.h"
#include "base/result.h"
#include "report/otlp/spans.h"
#include "trace/trace.h"

namespace stepscope::otlp {

// As many as OpenTelemetry's own programs give a span at most.
inline constexpr size_t kMostLinks = 128;

struct RequestSpans {
  std::vector<ResourceSpans> processes;  // those that have spans
  uint64_t requests = 0;                 // that have a span
  uint64_t unfinished = 0;               // of these, that had not ended
  uint64_t without_times = 0;            // requests that have no span
  uint64_t bad_parents = 0;  // requests whose traceparent is not valid

  // One sentence each.
  std::vector<std::string> Notes() const;
};

// `common`: attributes of every process, such as service.name; they win over
// what the trace says. Fails if there are no requests, or if it is not known at
// what time of day they were recorded; the message says what to do.
Result<RequestSpans> MakeRequestSpans(const Trace& trace,
                                      const IterationTable& iterations,
                                      const RequestTable& requests,
                                      const Attributes& common);

}  // namespace stepscope::otlp
