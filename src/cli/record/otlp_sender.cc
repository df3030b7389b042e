// SPDX-License-Identifier: Apache-2.0
#include "cli/record/otlp_sender.h"

#include <algorithm>
#include <span>
#include <thread>
#include <utility>

#include "base/text.h"
#include "importers/proto/wire.h"
#include "report/otlp/export_request.h"

namespace stepscope {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Receivers take 4 MiB and more; a span with all its links has 10 KiB.
constexpr size_t kBatchSpans = 256;
constexpr milliseconds kFirstPause(500);

// Of ExportTraceServiceResponse: what a receiver took and threw away.
struct PartialSuccess {
  uint64_t rejected = 0;
  std::string message;
};

PartialSuccess ReadAnswer(std::string_view body) {
  const auto bytes_of = [](std::string_view text) {
    return proto::Bytes(reinterpret_cast<const uint8_t*>(text.data()),
                        text.size());
  };
  PartialSuccess partial;
  proto::Message answer(bytes_of(body));
  while (answer.Next()) {
    if (answer.tag() != proto::Delimited(1)) continue;
    proto::Message part(answer.bytes());
    while (part.Next()) {
      if (part.tag() == proto::Varint(1)) partial.rejected = part.value();
      if (part.tag() == proto::Delimited(2))
        partial.message = proto::Text(part.bytes()).substr(0, 200);
    }
  }
  return partial;
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, std::min<size_t>(text.find('\n'), 200)));
}

}  // namespace

void OtlpSender::AddToBatch(const otlp::Attributes& resource, otlp::Span span) {
  if (batches_.empty() || batches_.back().ids.size() >= kBatchSpans)
    batches_.emplace_back();
  Batch& batch = batches_.back();
  // Spans come process by process.
  if (batch.processes.empty() || batch.processes.back().resource != resource)
    batch.processes.push_back({resource, {}});
  batch.ids.push_back(span.id);
  if (span.kind == otlp::SpanKind::kServer) ++batch.requests;
  batch.processes.back().spans.push_back(std::move(span));
}

void OtlpSender::Take(otlp::RequestSpans spans, int64_t until_ns, bool ended) {
  batches_.clear();
  unfinished_ = spans.unfinished;
  for (otlp::ResourceSpans& process : spans.processes) {
    for (otlp::Span& span : process.spans) {
      const bool is_final = span.final == otlp::Final::kSoon
                                ? ended || span.end_ns < until_ns
                                : ended && span.final == otlp::Final::kAtEnd;
      if (is_final && !done_.contains(span.id))
        AddToBatch(process.resource, std::move(span));
    }
  }
}

OtlpSender::Outcome OtlpSender::SendBatch(const Batch& batch,
                                          milliseconds limit) {
  const std::string body =
      otlp::WriteExportRequest(batch.processes, otlp::Encoding::kProtobuf);
  const Result<server::PostAnswer> answer =
      server::Post(endpoint_.target, "application/x-protobuf", body,
                   static_cast<int>(limit.count()));
  if (!answer) {
    trouble_ = answer.error().message;
    return Outcome::kLater;
  }
  const int status = answer->status;
  if (status >= 200 && status < 300) {
    const PartialSuccess partial = ReadAnswer(answer->body);
    if (partial.rejected == 0) return Outcome::kSent;
    rejected_ += std::min<uint64_t>(partial.rejected, batch.ids.size());
    rejection_ = FirstLine(partial.message);
    return Outcome::kSent;
  }
  trouble_ = "HTTP status " + std::to_string(status);
  if (status >= 300 && status < 400 && !answer->location.empty())
    trouble_ += ", a redirect, which is not followed, to " +
                FirstLine(answer->location);
  // What OTLP says may be tried again.
  if (status == 429 || (status >= 502 && status <= 504)) return Outcome::kAgain;
  // What is wrong with this batch is so the next time.
  return status == 400 || status == 413 || status == 422 ? Outcome::kRefused
                                                         : Outcome::kLater;
}

void OtlpSender::Send(milliseconds limit, bool patient,
                      const std::function<bool()>& stop) {
  const Clock::time_point deadline = Clock::now() + limit;
  milliseconds pause = kFirstPause;
  while (!batches_.empty() && !stop()) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      if (trouble_.empty()) trouble_ = "the time was over";
      return;
    }
    const Batch& batch = batches_.front();
    const Outcome outcome =
        SendBatch(batch, std::min(left, milliseconds(endpoint_.timeout_ms)));
    if (outcome == Outcome::kLater) return;
    if (outcome == Outcome::kAgain) {
      if (!patient || left <= pause) return;
      std::this_thread::sleep_for(pause);
      pause *= 2;
      continue;
    }
    done_.insert(batch.ids.begin(), batch.ids.end());
    (outcome == Outcome::kSent ? sent_ : refused_) += batch.requests;
    if (outcome == Outcome::kSent) pause = kFirstPause;
    batches_.erase(batches_.begin());
  }
}

std::string OtlpSender::TakeTrouble() {
  if (said_ || trouble_.empty()) return "";
  said_ = true;
  return "requests cannot be sent to " + endpoint_.url + ": " + trouble_ +
         "; the program is not held up";
}

OtlpSender::Report OtlpSender::Finish() const {
  uint64_t left = refused_;
  for (const Batch& batch : batches_) left += batch.requests;
  Report report;
  if (sent_ > 0)
    report.sent =
        "sent " + CountText(sent_, "request") + " to " + endpoint_.url;
  if (left > 0)
    report.error = CountText(left, "request was", "requests were") +
                   " not sent to " + endpoint_.url + ": " + trouble_ +
                   "; stepscope convert --to otlp writes them to a file";
  else if (!batches_.empty())
    report.error =
        "iterations were not sent to " + endpoint_.url + ": " + trouble_;
  const auto add = [&](const std::string& more) {
    report.error += (report.error.empty() ? "" : "; ") + more;
  };
  if (rejected_ > 0)
    add("the receiver rejected " + CountText(rejected_, "span") +
        (rejection_.empty() ? "" : ": " + rejection_));
  if (unfinished_ > 0)
    add(CountText(unfinished_, "request", "requests") + " had not ended and " +
        (unfinished_ == 1 ? "was" : "were") + " not sent");
  return report;
}

}  // namespace stepscope
