// SPDX-License-Identifier: Apache-2.0
#include "report/otlp/request_spans.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "report/otlp/export_request.h"
#include "trace/build/trace_builder.h"

namespace stepscope::otlp {
namespace {

constexpr int64_t kEpoch = 1'700'000'000'000'000'000;
constexpr const char* kCaller =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::shared_ptr<const Trace> OneProcess(bool epoch_known = true) {
  TraceBuilder builder;
  Process serve;
  serve.pid = 42;
  serve.name = builder.Intern("serve");
  serve.host = builder.Intern("node1");
  const uint32_t process = builder.AddProcess(std::move(serve));
  const auto say = [&](const char* key, const char* value) {
    builder.process(process).metadata.emplace_back(builder.Intern(key),
                                                   builder.Intern(value));
  };
  say("boot_id", "b-o-o-t");
  say("pid_start", "77");
  say("gen_ai.request.model", "Qwen3-8B");
  builder.AddWindow(0, 10'000);
  builder.AlignEpoch(kEpoch, epoch_known);
  return *builder.Finish();
}

IterationTable TwoIterations() {
  IterationTable table;
  IterationRow prefill;
  prefill.name = "execute_context_1(8)_generation_0(0)";
  prefill.mark.kind = IterationKind::kPrefill;
  prefill.start_ns = 1000;
  prefill.host_ns = 500;
  prefill.gpu_busy_ns = 400;
  IterationRow decode = prefill;
  decode.mark.kind = IterationKind::kDecode;
  decode.start_ns = 2000;
  table.list = {prefill, decode};
  return table;
}

RequestRow WholeRequest() {
  RequestRow request;
  request.id = "req-1";
  request.traceparent = kCaller;
  request.tokens_in = 8;
  request.tokens_out = 3;
  request.arrival_ns = 500;
  request.first_iteration_ns = 1000;
  request.first_token_ns = 1800;
  request.last_token_ns = 2600;
  request.end_ns = 3000;
  request.gpu_ns = 700;
  request.gpu_prefill_ns = 400;
  request.gpu_decode_ns = 300;
  request.iterations = {
      {.index = 0, .kind = IterationKind::kPrefill, .tokens = 8, .gpu_ns = 400},
      {.index = 1, .kind = IterationKind::kDecode, .tokens = 1, .gpu_ns = 300}};
  return request;
}

RequestSpans Make(std::vector<RequestRow> requests, const Trace& trace,
                  const Attributes& common = {}) {
  RequestTable table;
  table.list = std::move(requests);
  auto spans = MakeRequestSpans(trace, TwoIterations(), table, common);
  EXPECT_TRUE(spans) << (spans ? "" : spans.error().message);
  return spans ? *std::move(spans) : RequestSpans();
}

const Span* Find(const RequestSpans& spans, std::string_view name) {
  for (const ResourceSpans& process : spans.processes)
    for (const Span& span : process.spans)
      if (span.name == name) return &span;
  return nullptr;
}

const Value* Find(const Attributes& attributes, std::string_view key) {
  for (const Attribute& attribute : attributes)
    if (attribute.key == key) return &attribute.value;
  return nullptr;
}

TEST(RequestSpansTest, ARequestStandsBelowTheSpanOfItsCaller) {
  const auto trace = OneProcess();
  const RequestSpans spans = Make({WholeRequest()}, *trace);
  const Span* const request = Find(spans, "text_completion Qwen3-8B");
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(request->trace[0], 0x4b);
  EXPECT_EQ(request->parent[1], 0xf0);
  EXPECT_EQ(request->flags, 0x301u);
  EXPECT_EQ(request->kind, SpanKind::kServer);
  EXPECT_EQ(request->start_ns, kEpoch + 500);
  EXPECT_EQ(request->end_ns, kEpoch + 3000);
  EXPECT_EQ(request->final, Final::kSoon);
  EXPECT_EQ(*Find(request->attributes, "gen_ai.usage.input_tokens"),
            Value(int64_t{8}));
  EXPECT_EQ(*Find(request->attributes, "gen_ai.usage.output_tokens"),
            Value(int64_t{3}));
  EXPECT_EQ(*Find(request->attributes, "gen_ai.request.model"),
            Value(std::string("Qwen3-8B")));
  EXPECT_EQ(*Find(request->attributes, "stepscope.gpu_ns"),
            Value(int64_t{700}));
  EXPECT_EQ(*Find(request->attributes, "stepscope.ttft_ns"),
            Value(int64_t{1300}));
  ASSERT_EQ(request->events.size(), 1u);
  EXPECT_EQ(request->events[0].time_ns, kEpoch + 1800);
  EXPECT_TRUE(spans.Notes().empty());
}

TEST(RequestSpansTest, PhasesAreChildrenAndLinkToIterations) {
  const auto trace = OneProcess();
  const RequestSpans spans = Make({WholeRequest()}, *trace);
  const Span* const request = Find(spans, "text_completion Qwen3-8B");
  std::map<std::string, std::pair<int64_t, int64_t>> times = {
      {"queue", {500, 1000}},
      {"prefill", {1000, 1800}},
      {"decode", {1800, 3000}}};
  for (const auto& [name, interval] : times) {
    const Span* const phase = Find(spans, name);
    ASSERT_NE(phase, nullptr) << name;
    EXPECT_EQ(phase->trace, request->trace);
    EXPECT_EQ(phase->parent, request->id);
    EXPECT_EQ(phase->start_ns, kEpoch + interval.first);
    EXPECT_EQ(phase->end_ns, kEpoch + interval.second);
  }
  const Span* const iteration = Find(spans, "prefill iteration");
  ASSERT_NE(iteration, nullptr);
  const Span* const prefill = Find(spans, "prefill");
  ASSERT_EQ(prefill->links.size(), 1u);
  EXPECT_EQ(prefill->links[0].trace, iteration->trace);
  EXPECT_EQ(prefill->links[0].span, iteration->id);
  EXPECT_EQ(*Find(prefill->links[0].attributes, "stepscope.gpu_ns"),
            Value(int64_t{400}));
  EXPECT_EQ(Find(spans, "decode")->links[0].span,
            Find(spans, "decode iteration")->id);
  // Their parent is the loop, which has no parent.
  const Span* const loop = Find(spans, "iterations");
  EXPECT_EQ(iteration->parent, loop->id);
  EXPECT_TRUE(IsNone(loop->parent));
  EXPECT_EQ(loop->start_ns, kEpoch + 1000);
  EXPECT_EQ(loop->end_ns, kEpoch + 2500);
}

TEST(RequestSpansTest, IdsAreEqualEachTimeAndDifferOtherwise) {
  const auto trace = OneProcess();
  RequestRow other = WholeRequest();
  other.traceparent = {};
  // The id is used again: another request.
  const std::vector<RequestRow> requests = {WholeRequest(), other, other};
  const RequestSpans a = Make(requests, *trace);
  const RequestSpans b = Make(requests, *OneProcess());
  std::set<SpanId> ids;
  std::set<TraceId> traces;
  ASSERT_EQ(a.processes.size(), 1u);
  for (size_t i = 0; i < a.processes[0].spans.size(); ++i) {
    const Span& span = a.processes[0].spans[i];
    EXPECT_EQ(span.id, b.processes[0].spans[i].id);
    EXPECT_EQ(span.trace, b.processes[0].spans[i].trace);
    EXPECT_TRUE(ids.insert(span.id).second) << span.name;
    traces.insert(span.trace);
  }
  EXPECT_EQ(traces.size(), 4u);  // the caller's, two new ones, the loop
}

TEST(RequestSpansTest, ABadTraceparentIsCountedAndANewTraceBegins) {
  const auto trace = OneProcess();
  RequestRow request = WholeRequest();
  request.traceparent = "00-xyz";
  const RequestSpans spans = Make({request}, *trace);
  EXPECT_EQ(spans.bad_parents, 1u);
  const Span* const span = Find(spans, "text_completion Qwen3-8B");
  EXPECT_TRUE(IsNone(span->parent));
  EXPECT_FALSE(IsNone(span->trace));
  EXPECT_EQ(spans.Notes(),
            std::vector<std::string>{
                "1 request has a traceparent that is not valid: the trace is "
                "a new one"});
}

TEST(RequestSpansTest, WhatIsNotKnownIsSaidAndNotInvented) {
  const auto trace = OneProcess();
  RequestRow open;
  open.first_iteration_ns = 1000;
  open.error = "cancelled";
  const RequestSpans spans = Make({open, RequestRow()}, *trace);
  EXPECT_EQ(spans.requests, 1u);
  EXPECT_EQ(spans.unfinished, 1u);
  EXPECT_EQ(spans.without_times, 1u);
  EXPECT_EQ(spans.Notes().size(), 2u);
  const Span* const span = Find(spans, "text_completion Qwen3-8B");
  ASSERT_NE(span, nullptr);
  EXPECT_EQ(span->final, Final::kNever);
  EXPECT_TRUE(span->failed);
  EXPECT_EQ(span->start_ns, kEpoch + 1000);
  EXPECT_EQ(span->end_ns, kEpoch + 10'000);
  EXPECT_EQ(*Find(span->attributes, "stepscope.unfinished"), Value(true));
  EXPECT_EQ(*Find(span->attributes, "stepscope.arrival_unknown"), Value(true));
  EXPECT_EQ(Find(span->attributes, "stepscope.ttft_ns"), nullptr);
  EXPECT_EQ(Find(spans, "queue"), nullptr);
}

TEST(RequestSpansTest, LinksBeyondTheLimitAreCounted) {
  const auto trace = OneProcess();
  RequestRow request = WholeRequest();
  request.iterations.assign(kMostLinks + 7, request.iterations[1]);
  const RequestSpans spans = Make({request}, *trace);
  EXPECT_EQ(Find(spans, "decode")->links.size(), kMostLinks);
  EXPECT_EQ(Find(spans, "decode")->dropped_links, 7u);
}

TEST(RequestSpansTest, TheResourceIsTheProcess) {
  const auto trace = OneProcess();
  const RequestSpans plain = Make({WholeRequest()}, *trace);
  const Attributes& resource = plain.processes[0].resource;
  EXPECT_EQ(*Find(resource, "service.name"),
            Value(std::string("unknown_service:serve")));
  EXPECT_EQ(*Find(resource, "host.name"), Value(std::string("node1")));
  EXPECT_EQ(*Find(resource, "process.pid"), Value(int64_t{42}));
  const RequestSpans named =
      Make({WholeRequest()}, *trace, {{"service.name", std::string("chat")}});
  EXPECT_EQ(*Find(named.processes[0].resource, "service.name"),
            Value(std::string("chat")));
}

TEST(RequestSpansTest, SaysWhatToDoWithoutRequestsOrTimeOfDay) {
  const auto trace = OneProcess(false);
  RequestTable table;
  auto none = MakeRequestSpans(*trace, {}, table, {});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("stepscope.request()"),
            std::string::npos);
  table.list = {WholeRequest()};
  auto untimed = MakeRequestSpans(*trace, TwoIterations(), table, {});
  ASSERT_FALSE(untimed);
  EXPECT_NE(untimed.error().message.find("time of day"), std::string::npos);
}

TEST(ExportRequestTest, JsonIsWhatOtlpSays) {
  Span span;
  span.trace[0] = 0xab;
  span.id[7] = 1;
  span.name = "a \"b\" \xff";
  span.start_ns = kEpoch;
  span.end_ns = kEpoch + 1;
  span.flags = 0x101;
  span.failed = true;
  span.dropped_links = 2;
  span.attributes = {
      {"i", int64_t{-1}}, {"d", 0.5}, {"b", true}, {"s", std::string("t")}};
  const ResourceSpans process = {{}, {span}};
  EXPECT_EQ(WriteExportRequest({&process, 1}, Encoding::kJson),
            R"({"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{)"
            R"("name":"stepscope","version":")" STEPSCOPE_VERSION
            R"("},"spans":[{"traceId":"ab000000000000000000000000000000",)"
            R"("spanId":"0000000000000001","name":"a \"b\" )"
            "\xef\xbf\xbd"
            R"(","kind":1,"startTimeUnixNano":"1700000000000000000",)"
            R"("endTimeUnixNano":"1700000000000000001","attributes":[)"
            R"({"key":"i","value":{"intValue":"-1"}},)"
            R"({"key":"d","value":{"doubleValue":0.5}},)"
            R"({"key":"b","value":{"boolValue":true}},)"
            R"({"key":"s","value":{"stringValue":"t"}}],"droppedLinksCount":2,)"
            R"("status":{"code":2},"flags":257}]}]}]})");
}

TEST(ExportRequestTest, ProtobufOfASmallSpan) {
  Span span;
  span.trace[0] = 0xab;
  span.id[7] = 1;
  span.name = "n\xff";
  span.start_ns = 1;
  span.end_ns = 2;
  span.flags = 0x101;
  const ResourceSpans process = {{}, {span}};
  const std::string bytes =
      WriteExportRequest({&process, 1}, Encoding::kProtobuf);
  using std::string_literals::operator""s;
  const std::string inner = "\x0a\x10\xab"s + std::string(15, '\0') +
                            "\x12\x08"s + std::string(7, '\0') +
                            "\x01\x2a\x04n\xef\xbf\xbd\x30\x01"
                            "\x39\x01\0\0\0\0\0\0\0\x41\x02\0\0\0\0\0\0\0"
                            "\x85\x01\x01\x01\0\0"s;
  EXPECT_NE(bytes.find("\x12"s + static_cast<char>(inner.size()) + inner),
            std::string::npos);
}

}  // namespace
}  // namespace stepscope::otlp
