// SPDX-License-Identifier: Apache-2.0
//
// A server's trace in every format that is said to keep it: the tables of
// iterations and requests are the same afterwards, to the byte.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "analysis/summary.h"
#include "analysis/tables/all_tables.h"
#include "exporters/exporter.h"
#include "importers/registry.h"
#include "report/table_json.h"
#include "trace/request_events.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// Two processes of one server: a front end that says when tokens left, and the
// engine. Texts need escapes; the second iteration has more members than one
// list holds. The first event is at time 0, where all formats have their
// origin.
std::shared_ptr<const Trace> Server() {
  std::string many;
  for (int list = 0; list < 3; ++list) {
    many += " stepscope.members=[";
    for (int i = 0; i < 200; ++i)
      many += (i > 0 ? "," : "") +
              std::to_string((1000 + list * 200 + i) * 8 + 2) + ",1";
    many += "]";
  }
  return TraceFromText(R"(
    process 100 name=front
    thread 1 main
      0..10 request Request stepscope.request=[4503599627370001,8,500,0] id="a é/\x" traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      20..25 request Request stepscope.request=[2,-1,0,1] id="7"
      500..500 "request token" Request instant stepscope.request=[4503599627370001,1]
      650..652 "request token" Request stepscope.request=[4503599627370001,3]
      1000..1003 "request end" Request stepscope.request=[4503599627370001] error="TimeoutError"
    process 200 rank=0
    thread 9 engine
      30..35 request Request stepscope.request=[9,-1,0,1] id="a é/\x"
      40..45 request Request stepscope.request=[10,-1,0,1] id="7"
      100..300 iteration[prefill] PythonUserDefined stepscope.members=[73,8,81,90]
        120..130 cudaLaunchKernel CudaRuntime correlation=1
      400..600 iteration[decode])" +
                       many + R"(
        420..430 cudaGraphLaunch GraphLaunch correlation=2
      700..800 iteration[idle] stepscope.members=[]
      850..900 iteration[mixed] stepscope.members=[74,1,81,4]
        860..861 cudaLaunchKernel CudaRuntime correlation=3
    stream 7 GPU:0
      200..450 prefill Kernel correlation=1
      455..460 decode Kernel correlation=2
      465..501 decode Kernel correlation=2
      870..991 mixed Kernel correlation=3
      995..999 stray Kernel correlation=99
  )");
}

std::string TablesOf(const Trace& trace) {
  SummaryOptions options;
  options.views = kIterationView | kRequestView;
  const Summary summary = ComputeSummary(trace, options);
  JsonWriter json;
  json.BeginObject();
  for (const TableSchema& table : AllTables()) {
    if (table.key != "iterations" && table.key != "requests") continue;
    json.Key(table.key);
    WriteTable(json, table, table.rows(summary));
  }
  json.EndObject();
  return json.Take();
}

// What stands where the texts differ first; they are long.
std::string Difference(const std::string& before, const std::string& after) {
  const auto [a, b] =
      std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  if (a == before.end() && b == after.end()) return "";
  const auto around = [](const std::string& text, auto at) {
    const auto begin = at - std::min<ptrdiff_t>(at - text.begin(), 100);
    return std::string(begin, at + std::min<ptrdiff_t>(text.end() - at, 40));
  };
  return around(before, a) + "\nis afterwards\n" + around(after, b);
}

class RequestsRoundtrip
    : public testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  // Through a file of that format.
  std::shared_ptr<const Trace> Converted(const Trace& trace) {
    const auto [format, suffix] = GetParam();
    const std::string path = testing::TempDir() + "stepscope_requests_" +
                             std::to_string(getpid()) + suffix;
    const Status written = ExportFile(trace, *FindExporter(format), path);
    EXPECT_TRUE(written) << written.error().message;
    Result<std::shared_ptr<const Trace>> read = ImportFile(path);
    EXPECT_TRUE(read) << read.error().message;
    std::remove(path.c_str());
    return read ? *read : nullptr;
  }
};

TEST_P(RequestsRoundtrip, KeepsIterationsAndRequests) {
  const std::shared_ptr<const Trace> trace = Server();
  const std::string before = TablesOf(*trace);
  ASSERT_NE(before.find("\"traceparent\":\"00-0af7"), std::string::npos)
      << before;
  ASSERT_NE(before.find("\"error\":\"TimeoutError\""), std::string::npos);
  const std::shared_ptr<const Trace> once = Converted(*trace);
  ASSERT_NE(once, nullptr);
  EXPECT_EQ(Difference(before, TablesOf(*once)), "");
  const std::shared_ptr<const Trace> twice = Converted(*once);
  ASSERT_NE(twice, nullptr);
  EXPECT_EQ(Difference(before, TablesOf(*twice)), "");
}

INSTANTIATE_TEST_SUITE_P(Formats, RequestsRoundtrip,
                         testing::Values(std::pair("chrome", ".json"),
                                         std::pair("chrome",
                                                   ".paddle_trace.json"),
                                         std::pair("kineto", ".pt.trace.json"),
                                         std::pair("perfetto", ".pftrace"),
                                         std::pair("capture", ".sscap")));

// Events that only look like it, of whoever's file.
TEST(RequestsOfOthers, StayAsTheyAre) {
  const std::string path = testing::TempDir() + "stepscope_others_" +
                           std::to_string(getpid()) + ".json";
  std::FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs(
      R"({"traceEvents": [
        {"ph":"X","cat":"user_annotation","name":"request","pid":1,"tid":1,
         "ts":1,"dur":2,"args":{"id":"x","error":"y"}},
        {"ph":"X","cat":"user_annotation","name":"other","pid":1,"tid":1,
         "ts":5,"dur":2,"args":{"stepscope.request":[1,2]}},
        {"ph":"X","cat":"user_annotation","name":"request end","pid":1,"tid":1,
         "ts":8,"dur":2,"args":{"error":"late","stepscope.request":[1]}}]})",
      file);
  std::fclose(file);
  const Result<std::shared_ptr<const Trace>> read = ImportFile(path);
  std::remove(path.c_str());
  ASSERT_TRUE(read) << read.error().message;
  const Trace& trace = **read;
  ASSERT_EQ(trace.size(), 3u);
  EXPECT_NE(trace.type()[0], kRequestType);
  EXPECT_EQ(trace.raw_args(0), R"("id":"x","error":"y")");
  EXPECT_NE(trace.type()[1], kRequestType);
  // Members may stand in any order.
  EXPECT_EQ(trace.type()[2], kRequestType);
  ASSERT_EQ(trace.args_of(2).size(), 2u);
  EXPECT_EQ(trace.args_of(2)[0].kind, ArgKind::kText);
}

}  // namespace
}  // namespace stepscope
