// SPDX-License-Identifier: Apache-2.0
//
// GET report: the file that `stepscope report` writes, of an open trace.
#include <gtest/gtest.h>

#include "importers/import_many.h"
#include "report/html/html_report.h"
#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

// Two steps, with a name that a page must not take for markup.
constexpr char kTwoSteps[] =
    R"({"traceEvents":[
{"ph":"X","pid":1,"tid":2,"ts":0,"dur":90,"cat":"user_annotation",
 "name":"ProfilerStep#0"},
{"ph":"X","pid":1,"tid":2,"ts":100,"dur":90,"cat":"user_annotation",
 "name":"ProfilerStep#1"},
{"ph":"X","pid":1,"tid":2,"ts":10,"dur":50,"cat":"cpu_op",
 "name":"</script><b>early"},
{"ph":"X","pid":1,"tid":2,"ts":110,"dur":50,"cat":"cpu_op","name":"late"}]})";
constexpr char kEarly[] = "</script><b>early";

class ReportRouteTest : public testing::Test {
 protected:
  ReportRouteTest() {
    folder_.Write("a.json", kTwoSteps);
    server_ = std::make_unique<TestServer>(folder_.path());
    trace_ = TextOf(BodyOf(server_->Api("runs")), "t");
  }
  std::string Report(const std::string& more = "") const {
    return server_->Api("report?t=" + trace_ + more);
  }

  TestFolder folder_;
  std::unique_ptr<TestServer> server_;
  std::string trace_;
};

TEST_F(ReportRouteTest, IsThePageThatTheCommandWrites) {
  ASSERT_EQ(Open(*server_, trace_), "ready");
  const std::string answer = Report("&steps=all");
  ASSERT_EQ(StatusOf(answer), 200) << answer.substr(0, 600);
  EXPECT_NE(answer.find("Content-Type: text/html; charset=utf-8"),
            std::string::npos);
  const auto trace = ImportPath((folder_.path() / "a.json").string());
  ASSERT_TRUE(trace) << trace.error().message;
  HtmlReportOptions options;
  options.steps = StepChoice::All();
  const auto page = RenderHtmlReport(**trace, options);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(BodyOf(answer), *page);
  EXPECT_EQ(BodyOf(answer).find(kEarly), std::string::npos);
}

TEST_F(ReportRouteTest, OfTheStepsThatAreAskedFor) {
  ASSERT_EQ(Open(*server_, trace_), "ready");
  const std::string second = BodyOf(Report("&steps=1:2"));
  EXPECT_NE(second.find("late"), std::string::npos);
  EXPECT_EQ(second.find("early"), std::string::npos);
  EXPECT_EQ(StatusOf(Report("&steps=nonsense")), 400);
}

TEST_F(ReportRouteTest, NeedsAnOpenTraceAndTheToken) {
  EXPECT_EQ(StatusOf(Report()), 409);
  const std::string bare =
      "GET /api/v1/report?t=" + trace_ +
      " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_->port()) +
      "\r\n\r\n";
  EXPECT_EQ(StatusOf(Ask(server_->port(), bare)), 401);
}

}  // namespace
}  // namespace stepscope::server
