// SPDX-License-Identifier: Apache-2.0
//
// Sends the spans of a run to an OpenTelemetry receiver: each once, when it
// says all that it will. What could not be sent is still in the captures, from
// which it is taken again the next time; so there is no queue beside them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cli/record/otlp_endpoint.h"
#include "report/otlp/request_spans.h"

namespace stepscope {

class OtlpSender {
 public:
  explicit OtlpSender(OtlpEndpoint endpoint) : endpoint_(std::move(endpoint)) {}

  // Takes what is to be sent now: spans that ended before `until_ns` (unix),
  // and with `ended`, when the program has ended, all that are finished.
  void Take(otlp::RequestSpans spans, int64_t until_ns, bool ended);
  // Sends that, or as much of it as goes within `limit` and before `stop` says
  // so. Gives up for now at the first failure; `patient`: but tries again
  // within the limit where the receiver asks for that.
  void Send(std::chrono::milliseconds limit, bool patient,
            const std::function<bool()>& stop);

  // What is worth a line at once: that sending fails, the first time; else "".
  std::string TakeTrouble();
  // At the end: what was sent, and what was not, and why. At most two lines,
  // the second in `error`.
  struct Report {
    std::string sent;
    std::string error;
  };
  Report Finish() const;

 private:
  struct Batch {
    std::vector<otlp::ResourceSpans> processes;
    std::vector<otlp::SpanId> ids;
    uint64_t requests = 0;
  };
  enum class Outcome : uint8_t { kSent, kRefused, kLater, kAgain };

  void AddToBatch(const otlp::Attributes& resource, otlp::Span span);
  Outcome SendBatch(const Batch& batch, std::chrono::milliseconds limit);

  OtlpEndpoint endpoint_;
  std::set<otlp::SpanId> done_;  // sent, or refused for good
  std::vector<Batch> batches_;   // taken and not sent
  uint64_t sent_ = 0;            // requests
  uint64_t refused_ = 0;
  uint64_t rejected_ = 0;    // spans, of what was sent
  uint64_t unfinished_ = 0;  // as of the last Take()
  std::string rejection_;    // why, as the receiver said last
  std::string trouble_;      // the last one
  bool said_ = false;
};

}  // namespace stepscope
