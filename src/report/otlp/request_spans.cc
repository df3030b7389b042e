// SPDX-License-Identifier: Apache-2.0
#include "report/otlp/request_spans.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "report/otlp/span_ids.h"
#include "report/otlp/trace_parent.h"

namespace stepscope::otlp {
namespace {

constexpr std::string_view kOperation = "text_completion";
// A program states it with stepscope_set_metadata().
constexpr std::string_view kModelKey = "gen_ai.request.model";

void AddTime(Attributes& attributes, const char* key,
             std::optional<int64_t> value) {
  if (value) attributes.push_back({key, *value});
}

std::string MetadataOf(const Trace& trace, uint32_t process,
                       std::string_view key) {
  for (const auto& [name, value] : trace.processes()[process].metadata)
    if (trace.str(name) == key) return std::string(trace.str(value));
  return "";
}

Attributes ResourceOf(const Trace& trace, uint32_t process,
                      const Attributes& common) {
  const Process& one = trace.processes()[process];
  const std::string name(trace.str(one.name));
  Attributes all = common;
  const auto add = [&](const char* key, Value value) {
    for (const Attribute& attribute : common)
      if (attribute.key == key) return;
    all.push_back({key, std::move(value)});
  };
  add("service.name", "unknown_service:" + (name.empty() ? "python" : name));
  const std::string host(trace.str(one.host));
  if (!host.empty()) add("host.name", host);
  if (one.pid > 0) add("process.pid", one.pid);
  if (!name.empty()) add("process.executable.name", name);
  if (one.rank >= 0) add("stepscope.rank", one.rank);
  return all;
}

// When a request began and ended, as far as that was recorded.
std::optional<Interval> TimesOf(const RequestRow& request, int64_t window_end) {
  std::optional<int64_t> begin = request.arrival_ns;
  if (!begin) begin = request.first_iteration_ns;
  if (!begin) begin = request.first_token_ns;
  if (!begin) begin = request.end_ns;
  if (!begin) return std::nullopt;
  return Interval{*begin,
                  std::max(*begin, request.end_ns.value_or(window_end))};
}

class SpanMaker {
 public:
  SpanMaker(const Trace& trace, const IterationTable& iterations,
            const RequestTable& requests)
      : trace_(trace), iterations_(iterations), requests_(requests) {
    for (uint32_t i = 0; i < trace.processes().size(); ++i) {
      identities_.push_back(IdentityOf(trace, i));
      models_.push_back(MetadataOf(trace, i, kModelKey));
    }
  }

  RequestSpans Make(const Attributes& common) {
    spans_.resize(trace_.processes().size());
    AddIterations();
    for (const RequestRow& request : requests_.list) AddRequest(request);
    for (uint32_t i = 0; i < spans_.size(); ++i)
      if (!spans_[i].empty())
        result_.processes.push_back(
            {ResourceOf(trace_, i, common), std::move(spans_[i])});
    return std::move(result_);
  }

 private:
  int64_t Unix(int64_t ns) const {
    return std::max<int64_t>(SaturatingAdd(trace_.epoch_ns(), ns), 0);
  }

  // The iterations of a process are a trace of their own: they belong to many
  // requests each.
  void AddIterations() {
    std::vector<Span> loops(trace_.processes().size());
    std::vector<uint64_t> counts(loops.size());
    for (const IterationRow& one : iterations_.list) {
      const std::string& identity = identities_[one.process];
      Span& loop = loops[one.process];
      Span span;
      span.trace = TraceIdOf(identity);
      span.id = SpanIdOf(identity + "iteration " +
                         std::to_string(counts[one.process]++));
      iteration_ids_.push_back({span.trace, span.id, {}});
      span.parent = SpanIdOf(identity + "iterations");
      span.flags = kFlagSampled | kFlagKnowsRemote;
      span.name = std::string(NameOf(one.mark.kind)) + " iteration";
      span.start_ns = Unix(one.start_ns);
      span.end_ns = Unix(SaturatingAdd(one.start_ns, one.host_ns));
      DescribeIteration(one, span.attributes);
      if (IsNone(loop.id)) {
        loop.trace = span.trace;
        loop.id = span.parent;
        loop.flags = kFlagSampled;
        loop.name = "iterations";
        loop.start_ns = span.start_ns;
        loop.final = Final::kAtEnd;
      }
      loop.start_ns = std::min(loop.start_ns, span.start_ns);
      loop.end_ns = std::max(loop.end_ns, span.end_ns);
      spans_[one.process].push_back(std::move(span));
    }
    for (uint32_t i = 0; i < loops.size(); ++i)
      if (!IsNone(loops[i].id)) spans_[i].push_back(std::move(loops[i]));
  }

  static void DescribeIteration(const IterationRow& one,
                                Attributes& attributes) {
    attributes.push_back({"stepscope.iteration.name", std::string(one.name)});
    attributes.push_back(
        {"stepscope.iteration.kind", std::string(NameOf(one.mark.kind))});
    AddTime(attributes, "stepscope.iteration.requests", one.mark.requests);
    AddTime(attributes, "stepscope.iteration.tokens_context",
            one.mark.tokens_context);
    AddTime(attributes, "stepscope.iteration.tokens_generation",
            one.mark.tokens_generation);
    attributes.push_back({"stepscope.gpu_ns", one.gpu_busy_ns});
  }

  void AddRequest(const RequestRow& request) {
    const std::optional<Interval> times = TimesOf(request, trace_.end_ns());
    std::string key = identities_[request.process] + "request ";
    key += request.id;
    key += '\0';
    key += std::to_string(ordinals_.Next(request.process, request.id));
    if (!times) {
      ++result_.without_times;
      return;
    }
    Span span;
    span.trace = TraceIdOf(key);
    span.id = SpanIdOf(key);
    span.flags = kFlagSampled;
    if (const auto parent = ParseTraceParent(request.traceparent)) {
      span.trace = parent->trace;
      span.parent = parent->span;
      span.flags = parent->flags | kFlagKnowsRemote | kFlagParentIsRemote;
    } else if (!request.traceparent.empty()) {
      ++result_.bad_parents;
    }
    span.kind = SpanKind::kServer;
    span.name = kOperation;
    const std::string& model = models_[request.process];
    if (!model.empty()) span.name += " " + model;
    span.start_ns = Unix(times->begin);
    span.end_ns = Unix(times->end);
    span.failed = !request.error.empty();
    span.final = request.end_ns ? Final::kSoon : Final::kNever;
    DescribeRequest(request, model, span.attributes);
    if (request.first_token_ns)
      span.events.push_back({Unix(*request.first_token_ns), "first token"});
    ++result_.requests;
    if (!request.end_ns) ++result_.unfinished;
    AddPhases(request, key, span);
    spans_[request.process].push_back(std::move(span));
  }

  void DescribeRequest(const RequestRow& request, const std::string& model,
                       Attributes& attributes) const {
    attributes.push_back({"gen_ai.operation.name", std::string(kOperation)});
    if (!model.empty()) attributes.push_back({std::string(kModelKey), model});
    AddTime(attributes, "gen_ai.usage.input_tokens", request.tokens_in);
    AddTime(attributes, "gen_ai.usage.output_tokens", request.tokens_out);
    if (!request.error.empty())
      attributes.push_back({"error.type", std::string(request.error)});
    if (!request.id.empty())
      attributes.push_back({"stepscope.request.id", std::string(request.id)});
    if (!request.arrival_ns)
      attributes.push_back({"stepscope.arrival_unknown", true});
    if (!request.end_ns) attributes.push_back({"stepscope.unfinished", true});
    AddTime(attributes, "stepscope.queue_ns", request.queue_ns());
    AddTime(attributes, "stepscope.ttft_ns", request.ttft_ns());
    AddTime(attributes, "stepscope.tpot_ns", request.tpot_ns());
    attributes.push_back({"stepscope.gpu_ns", request.gpu_ns});
    attributes.push_back({"stepscope.gpu_prefill_ns", request.gpu_prefill_ns});
    attributes.push_back({"stepscope.gpu_decode_ns", request.gpu_decode_ns});
    attributes.push_back(
        {"stepscope.bill", std::string(NameOf(requests_.rule))});
    attributes.push_back({"stepscope.iterations", request.iteration_count()});
  }

  // Children of `whole`, which gets the links that no child takes.
  void AddPhases(const RequestRow& request, const std::string& key,
                 Span& whole) {
    const auto begin = [&](const char* name, const Interval& times) {
      Span span;
      span.trace = whole.trace;
      span.id = SpanIdOf(key + name);
      span.parent = whole.id;
      span.flags = (whole.flags & 0xff) | kFlagKnowsRemote;
      span.name = name;
      span.start_ns = Unix(times.begin);
      span.end_ns = Unix(times.end);
      span.final = whole.final;
      return span;
    };
    std::vector<Span>& spans = spans_[request.process];
    if (const auto queue = request.queue())
      spans.push_back(begin("queue", *queue));
    std::optional<Span> prefill;
    if (const auto times = request.prefill()) {
      prefill = begin("prefill", *times);
      prefill->attributes.push_back(
          {"stepscope.gpu_ns", request.gpu_prefill_ns});
    }
    std::optional<Span> decode;
    if (const auto times = request.decode()) {
      decode = begin("decode", *times);
      decode->attributes.push_back({"stepscope.gpu_ns", request.gpu_decode_ns});
      if (!request.token_gaps.histogram.empty()) {
        decode->attributes.push_back(
            {"stepscope.token_gap_p50_ns", request.token_gaps.p50_ns});
        decode->attributes.push_back(
            {"stepscope.token_gap_p99_ns", request.token_gaps.p99_ns});
      }
    }
    for (const RequestIteration& one : request.iterations) {
      const bool reads = one.kind == IterationKind::kPrefill;
      std::optional<Span>& phase = reads ? prefill : decode;
      AddLink(one, phase ? *phase : whole);
    }
    if (prefill) spans.push_back(*std::move(prefill));
    if (decode) spans.push_back(*std::move(decode));
  }

  void AddLink(const RequestIteration& one, Span& span) const {
    if (span.links.size() >= kMostLinks) {
      ++span.dropped_links;
      return;
    }
    Link link = iteration_ids_[one.index];
    link.attributes = {{"stepscope.gpu_ns", one.gpu_ns},
                       {"stepscope.tokens", one.tokens}};
    span.links.push_back(std::move(link));
  }

  const Trace& trace_;
  const IterationTable& iterations_;
  const RequestTable& requests_;
  std::vector<std::string> identities_;  // by process
  std::vector<std::string> models_;
  std::vector<Link> iteration_ids_;       // as iterations_.list
  std::vector<std::vector<Span>> spans_;  // by process
  Ordinals ordinals_;
  RequestSpans result_;
};

}  // namespace

std::vector<std::string> RequestSpans::Notes() const {
  std::vector<std::string> notes;
  if (bad_parents > 0)
    notes.push_back(CountText(bad_parents, "request has", "requests have") +
                    " a traceparent that is not valid: " +
                    (bad_parents == 1 ? "the trace is a new one"
                                      : "their traces are new ones"));
  if (unfinished > 0)
    notes.push_back(CountText(unfinished, "request", "requests") +
                    " had not ended; the attribute stepscope.unfinished marks "
                    "them");
  if (without_times > 0)
    notes.push_back(CountText(without_times, "request was", "requests were") +
                    " left out: no time of theirs was recorded");
  return notes;
}

Result<RequestSpans> MakeRequestSpans(const Trace& trace,
                                      const IterationTable& iterations,
                                      const RequestTable& requests,
                                      const Attributes& common) {
  if (requests.list.empty())
    return Fail(ErrorCode::kNotFound,
                "no requests were recorded; mark them in the server with "
                "stepscope.request(), or call stepscope.hook() for an engine, "
                "and record again");
  if (!trace.clock().epoch_known || trace.epoch_ns() < 0)
    return Fail(ErrorCode::kUnsupported,
                "the trace does not say at what time of day it was recorded, "
                "which OpenTelemetry needs; give the capture that stepscope "
                "recorded");
  return SpanMaker(trace, iterations, requests).Make(common);
}

}  // namespace stepscope::otlp
