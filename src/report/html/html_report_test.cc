// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_report.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/stats.h"
#include "base/sha256.h"
#include "report/count_of_test_support.h"
#include "report/html/figures.h"
#include "report/html/html_text.h"
#include "report/html/page_style.h"
#include "report/html/redactor.h"
#include "report/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr std::string_view kEvil = "</td><script>alert(1)</script><img src=x>";

// A trace whose every text is `tag` and something: names, hosts, threads.
std::string TraceText(const std::string& tag) {
  const auto quoted = [&](const std::string& text) {
    return "\"" + tag + text + "\"";
  };
  std::string text = "process 100 rank=0 name=" + quoted("train") +
                     " host=" + quoted("node17") + "\nthread 7 " +
                     quoted("main") + "\n";
  std::string device = "stream 3 GPU:0\n";
  std::string rest;
  for (int step = 0; step < 8; ++step) {
    const int at = step * 1000;
    const auto line = [&](int from, int to, const std::string& what) {
      return std::to_string(1000 * (at + from)) + ".." +
             std::to_string(1000 * (at + to)) + " " + what + "\n";
    };
    text +=
        line(0, 990, "ProfileStep#" + std::to_string(step) + " ProfileStep");
    text += line(10, 400, "forward Forward");
    text += line(20, 300, quoted("matmul") + " Operator");
    text += line(
        30, 40,
        "cudaLaunchKernel CudaRuntime correlation=" + std::to_string(step + 1));
    text += line(410, 800, "backward Backward");
    text += line(420, 700, quoted("loss_range") + " UserDefined");
    device += line(
        50, 350,
        quoted("gemm_f32") + " Kernel correlation=" + std::to_string(step + 1));
    const std::string when = std::to_string(1000 * (at + 25));
    rest += "memory " + when + " +1024 Place(gpu:0) 0x10 total=" +
            std::to_string(1024 * (step + 1)) + "\n";
  }
  return text + rest + device;
}

std::string Render(const Trace& trace, const HtmlReportOptions& options = {}) {
  const Result<std::string> html = RenderHtmlReport(trace, options);
  return html ? *html : "error: " + html.error().message;
}

HtmlReportOptions Redacted() {
  HtmlReportOptions options;
  options.redact = true;
  options.salt = "salt";
  return options;
}

TEST(HtmlReport, NamesAreText) {
  const std::string html =
      Render(*TraceFromText(TraceText(std::string(kEvil))));
  EXPECT_EQ(CountOf(html, "<script"), 1u);  // ours
  EXPECT_EQ(CountOf(html, "<img"), 0u);
  EXPECT_GT(CountOf(html, html::Escape(std::string(kEvil) + "matmul")), 0u);
}

TEST(HtmlReport, SentencesHaveUnitsAndCode) {
  using html::Prose;
  EXPECT_EQ(Prose("8.19 us, 3 ms and 61.9 % of us; 5 steps"),
            "8.19\u202f\u00b5s, 3\u202fms and 61.9\u202f% of us; 5 steps");
  EXPECT_EQ(Prose("leave it out with --steps."),
            "leave it out with <code>--steps</code>.");
  EXPECT_EQ(Prose("a -- b --\"x\""), "a -- b --&quot;x&quot;");
  EXPECT_EQ(Prose("3 us: <b>5 us --x", "<b>5 us --x"),
            "3\u202f\u00b5s: &lt;b&gt;5 us --x");
  EXPECT_EQ(html::PlaceName("Place(gpu:0)"), "gpu:0");
  EXPECT_EQ(html::PlaceName("x-1234567890"), "x-1234567890");
}

TEST(HtmlReport, AttributesCannotBeLeft) {
  const std::string html =
      Render(*TraceFromText(TraceText("x' onload='alert(1)' `")));
  EXPECT_EQ(CountOf(html, "' onload"), 0u);
  EXPECT_GT(CountOf(html, "&#39; onload"), 0u);
}

TEST(HtmlReport, PolicyAllowsItsOwnScriptAndStyleOnly) {
  const std::string html = Render(*TraceFromText(TraceText("t_")));
  const auto between = [&](std::string_view open, std::string_view close) {
    const size_t begin = html.find(open) + open.size();
    return html.substr(begin, html.find(close, begin) - begin);
  };
  EXPECT_NE(html.find("script-src 'sha256-" +
                      Sha256Base64(between("<script>", "</script>")) + "'"),
            html.npos);
  EXPECT_NE(html.find("style-src 'sha256-" +
                      Sha256Base64(between("<style>", "</style>")) + "'"),
            html.npos);
  EXPECT_EQ(html.find("unsafe-"), html.npos);
  EXPECT_EQ(html.find(" style=\""), html.npos);
  EXPECT_EQ(CountOf(html, "<style"), 1u);
  EXPECT_EQ(html.find(" src="), html.npos);
}

// The first device copies only: what is said of kernels is of the second.
TEST(HtmlReport, FiguresAreOfADeviceThatHasKernels) {
  const auto trace = TraceFromText(
      "process 100\nthread 7 main\n"
      "0..100 ProfileStep#0 ProfileStep\n100..200 ProfileStep#1 ProfileStep\n"
      "stream 3 GPU:0\n10..20 copy Memcpy\n"
      "stream 3 GPU:1\n30..60 plain Kernel\n110..120 h884gemm Kernel\n");
  SummaryOptions what;
  what.views = kUsualViews;
  const Result<Summary> summary = ComputeSummaryOfSteps(*trace, what);
  ASSERT_TRUE(summary);
  const auto figures = html::FiveFigures(*summary, html::Redactor());
  ASSERT_EQ(figures.size(), 5u);
  ASSERT_EQ(figures[2].title, "Tensor-core time");
  EXPECT_EQ(figures[2].value, html::Share(0.25)) << figures[2].detail;
}

// As the table of devices and the roofline have it, not by names of kernels.
TEST(HtmlReport, MeasuredTensorCoresGoBeforeEstimatedOnes) {
  const auto trace = TraceFromText(
      "process 100\nthread 7 main\n0..100 ProfileStep#0 ProfileStep\n"
      "stream 3 GPU:0\n10..50 h884gemm Kernel\n"
      "counter 10 \"GPU 0: tensor cores active (%)\" 35.0\n"
      "counter 50 \"GPU 0: tensor cores active (%)\" nan\n");
  SummaryOptions what;
  what.views = kUsualViews;
  const Result<Summary> summary = ComputeSummaryOfSteps(*trace, what);
  ASSERT_TRUE(summary);
  const auto figures = html::FiveFigures(*summary, html::Redactor());
  ASSERT_EQ(figures[2].title, "Tensor cores active");
  EXPECT_EQ(figures[2].value, html::Share(0.35)) << figures[2].detail;
  TableOptions json;
  json.views = kDeviceView | *ParseView("roofline");
  json.format = TableFormat::kJson;
  const std::string text = RenderSummary(*trace, json);
  // The device; of the roofline all work and the kernel, which nobody launched.
  EXPECT_EQ(CountOf(text, "\"tensor_core_ratio\":0.35"), 3u) << text;
}

TEST(HtmlReport, FiguresAreThoseOfTheSummary) {
  const auto trace = TraceFromText(TraceText("t_"));
  SummaryOptions what;
  what.views = kUsualViews;
  what.steps = StepChoice::Settled();
  const Result<Summary> summary = ComputeSummaryOfSteps(*trace, what);
  ASSERT_TRUE(summary);
  const auto figures = html::FiveFigures(*summary, html::Redactor());
  ASSERT_EQ(figures.size(), 5u);
  EXPECT_EQ(figures[0].value, html::Time(summary->step_time.p50_ns));
  EXPECT_EQ(figures[0].detail, html::Time(summary->step_time.min_ns) + " – " +
                                   html::Time(summary->step_time.max_ns) +
                                   " · start to start");
  EXPECT_EQ(figures[1].value, html::Share(summary->advice.device_busy));
  EXPECT_EQ(figures[4].value,
            html::Bytes(summary->memory[0].peak_allocated_bytes));
  const std::string html = Render(*trace);
  for (const html::Figure& figure : figures) {
    EXPECT_NE(html.find("<div class=\"value\">" + figure.value), html.npos)
        << figure.title;
  }
  // The waterfall adds up to the step.
  int64_t sum = 0;
  for (const int64_t part : summary->waterfall.part_ns) {
    if (part == 0) continue;
    sum += part;
    EXPECT_NE(html.find("data-v=\"" + std::to_string(part) + "\""), html.npos);
  }
  EXPECT_EQ(sum, summary->waterfall.step_ns);
  EXPECT_NE(html.find("data-v=\"" + std::to_string(sum) + "\""), html.npos);
}

TEST(HtmlReport, RedactedHoldsNoNameOfTheTrace) {
  const auto trace = TraceFromText(TraceText("secret_"));
  EXPECT_GT(CountOf(Render(*trace), "secret_"), 10u);
  const std::string html = Render(*trace, Redacted());
  EXPECT_EQ(CountOf(html, "secret"), 0u);
  for (const char* part : {"node17", "matmul", "loss_range", "gemm", "train\"",
                           "cudaLaunchKernel"}) {
    EXPECT_EQ(CountOf(html, part), 0u) << part;
  }
}

TEST(HtmlReport, RedactedNameIsTheSameEverywhere) {
  const auto trace = TraceFromText(TraceText("secret_"));
  const std::string html = Render(*trace, Redacted());
  const html::Redactor redactor(*trace, "salt");
  const std::string hash = redactor.Name("secret_matmul");
  EXPECT_NE(hash, redactor.Name("secret_gemm_f32"));
  EXPECT_NE(hash, html::Redactor(*trace, "other").Name("secret_matmul"));
  // In the table of operators and on the timeline.
  EXPECT_NE(html.find("<td class=\"name\">" + hash + "</td>"), html.npos);
  EXPECT_NE(html.find("<title>" + hash), html.npos);
  // Figures stay: what names say was known before they were hidden.
  EXPECT_NE(html.find("Step time, median"), html.npos);
}

TEST(HtmlReport, RedactsNamesInSentences) {
  const auto trace = TraceFromText(
      "process 1 host=node17\nthread 7 main\n"
      "  0..100 \"my loop: a\" Operator\n"
      "  200..300 \"void secretKernel<int>(int*)\" Operator\n"
      "  400..500 a Operator\n");
  const html::Redactor redactor(*trace, "s");
  const auto same = [&](std::string_view text) {
    return redactor.Sentence(text) == text;
  };
  EXPECT_EQ(redactor.Sentence("3 calls of my loop: a, 2 ms."),
            "3 calls of " + redactor.Name("my loop: a") + ", 2 ms.");
  EXPECT_EQ(redactor.Sentence("node17 is late"),
            redactor.Name("node17") + " is late");
  // What was cut is hidden too; a word is one however short a name is.
  EXPECT_EQ(redactor.Sentence("of void secretKernel<in...").find("secret"),
            std::string::npos);
  EXPECT_TRUE(same("The device waits for a launch, 25.0 % of 12 steps."));
  EXPECT_EQ(redactor.Place("Place(gpu:0)"), "Place(gpu:0)");
  EXPECT_NE(redactor.Place("Place(acme:0)"), "Place(acme:0)");
}

TEST(HtmlReport, SaysWhatTopLeavesOut) {
  std::string text = "thread 7 main\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i * 10) + ".." + std::to_string(i * 10 + 5) + " op" +
            std::to_string(i) + " Operator\n";
  }
  const auto trace = TraceFromText(text);
  HtmlReportOptions options;
  EXPECT_NE(Render(*trace, options).find("10 more rows are not in this report"),
            std::string::npos);
  options.top = 0;
  EXPECT_EQ(Render(*trace, options).find("more rows are"), std::string::npos);
}

TEST(HtmlReport, TimelineShowsTheChosenPart) {
  const auto trace = TraceFromText(TraceText("t_"));
  const auto steps_drawn = [&](const HtmlReportOptions& options) {
    return CountOf(Render(*trace, options), "<title>ProfileStep#");
  };
  HtmlReportOptions options;
  EXPECT_EQ(steps_drawn(options), 1u);
  options.steps = *ParseStepChoice("2:5");
  EXPECT_EQ(steps_drawn(options), 3u);
  options.steps = StepChoice::Settled();
  options.from_ns = 0;
  options.to_ns = 1'500'000;
  EXPECT_EQ(steps_drawn(options), 2u);
  options.from_ns = 1'000'000'000;
  options.to_ns = 2'000'000'000;
  EXPECT_NE(Render(*trace, options).find("in this part; the recording lasts"),
            std::string::npos);
}

TEST(HtmlReport, MissingTablesAreSaidWhereTablesAre) {
  const std::string html = Render(*TraceFromText(TraceText("t_")));
  const size_t note = html.find("Nothing was recorded for: ");
  ASSERT_NE(note, html.npos);
  EXPECT_GT(note, html.find("<nav aria-label=\"Tables\">"));
  EXPECT_EQ(html.find("Nothing was recorded for: ", note + 1), html.npos);
}

TEST(HtmlReport, EmptyTraceIsSaid) {
  EXPECT_NE(Render(*TraceFromText("")).find("Nothing was recorded."),
            std::string::npos);
  // Nothing that lasts: a report without a timeline.
  EXPECT_EQ(Render(*TraceFromText("thread 7 main\n 5..5 mark instant\n"))
                .find("error:"),
            std::string::npos);
}

}  // namespace
}  // namespace stepscope
