// SPDX-License-Identifier: Apache-2.0
#include "report/screen.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

#include "base/visible_text.h"
#include "report/advice_text.h"
#include "report/screen_cells.h"
#include "report/screen_rows.h"
#include "report/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

TableOptions ScreenOptions() {
  TableOptions options;
  options.layout = TextLayout::kScreen;
  options.unit = TimeUnit::kAuto;
  options.sort = SortKey::kSelf;
  options.style.top = kScreenRows;
  options.input = "run.sscap";
  return options;
}

std::string Screen(const std::string& drawn) {
  return *RenderSummaryOfSteps(*TraceFromText(drawn), ScreenOptions());
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

void ExpectFits(const std::string& text) {
  std::istringstream lines(text);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_LE(DisplayWidth(line), kScreenWidth) << line;
  EXPECT_LE(count, kScreenLines) << text;
}

std::string Ms(int64_t begin, int64_t end) {
  return std::to_string(begin) + "000000.." + std::to_string(end) + "000000 ";
}

// A loop whose step is mostly an operator's own time, with a worker process
// that does more than the loop.
std::string LoopWithWorker() {
  std::string drawn = "process 100 name=train\nthread 1 main\n";
  for (int i = 0; i < 5; ++i) {
    const int64_t at = i * 100;
    drawn += Ms(at, at + 100) + "ProfileStep#" + std::to_string(i) +
             " ProfileStep\n";
    drawn += Ms(at, at + 20) + "next Dataloader\n";
    drawn += Ms(at + 20, at + 90) + "aten::linear Operator\n";
    drawn += Ms(at + 25, at + 85) + "aten::addmm Operator\n";
  }
  drawn += "process 200 name=worker\nthread 2 worker\n";
  for (int i = 0; i < 5; ++i)
    drawn += Ms(i * 100, i * 100 + 99) + "aten::stack Operator\n";
  return drawn;
}

TEST(ScreenTest, ShowsWhatANewUserAsksFor) {
  const std::string text = Screen(LoopWithWorker());
  ExpectFits(text);
  EXPECT_TRUE(text.starts_with("run.sscap (")) << text;
  EXPECT_TRUE(Has(text, "5 steps of 100.00 ms (median)")) << text;
  EXPECT_TRUE(Has(text, "waits for the data loader")) << text;
  EXPECT_TRUE(Has(text, "The step waits for the data loader.")) << text;
  EXPECT_TRUE(Has(text, "stepscope advise run.sscap")) << text;
  EXPECT_TRUE(Has(text, "stepscope view run.sscap")) << text;
  // No definitions, no parts and no columns of nothing.
  EXPECT_FALSE(Has(text, "Utilization")) << text;
  EXPECT_FALSE(Has(text, "communication")) << text;
  EXPECT_FALSE(Has(text, "on device")) << text;
  EXPECT_FALSE(Has(text, "Kernels")) << text;
}

TEST(ScreenTest, OwnTimeDecidesAndWorkersAreApart) {
  const std::string text = Screen(LoopWithWorker());
  const size_t inner = text.find("aten::addmm");
  const size_t outer = text.find("aten::linear");
  ASSERT_NE(inner, std::string::npos);
  ASSERT_NE(outer, std::string::npos);
  EXPECT_LT(inner, outer) << text;
  EXPECT_TRUE(Has(text, "In 1 worker process, not counted above: aten::stack"))
      << text;
  // 300 of 350 ms: the worker's 495 are not in it.
  EXPECT_TRUE(Has(text, "85.7")) << text;
}

TEST(ScreenTest, SavingsAreThoseOfAdvise) {
  const auto trace = TraceFromText(LoopWithWorker());
  SummaryOptions options;
  options.views = kAdviceView;
  options.steps = StepChoice::Settled();
  const Summary advice = *ComputeSummaryOfSteps(*trace, options);
  ASSERT_FALSE(advice.advice.findings.empty());
  EXPECT_TRUE(Has(Screen(LoopWithWorker()),
                  "saves " + ShortSavingText(advice.advice.findings[0])));
}

TEST(ScreenTest, WarmUpIsLeftOutAndNamed) {
  std::string drawn = "thread 1 main\n";
  int64_t at = 0;
  for (int i = 0; i < 12; ++i) {
    const int64_t length = i == 0 ? 900 : 100 + i % 3;
    drawn += Ms(at, at + length) + "ProfileStep#" + std::to_string(i) +
             " ProfileStep\n" + Ms(at, at + length) + "op Operator\n";
    at += length;
  }
  const std::string text = Screen(drawn);
  ExpectFits(text);
  EXPECT_TRUE(Has(text, "11 steps of ")) << text;
  EXPECT_TRUE(Has(text, "Step 0 left out as warm-up")) << text;
}

// Three processes, one after the other: each has 10 ms of the 30, and nothing
// before it for 0, 10 and 20 ms.
TEST(ScreenTest, TimeBeforeTheFirstEventIsAnAverageLikeItsPart) {
  std::string drawn;
  for (int i = 0; i < 3; ++i)
    drawn += "process " + std::to_string(i + 1) + "\nthread 1 main\n" +
             Ms(i * 10, i * 10 + 10) + "work UserDefined\n";
  const std::string text = Screen(drawn);
  ExpectFits(text);
  EXPECT_TRUE(Has(text, "Where time goes, on average          ms")) << text;
  EXPECT_TRUE(Has(text, "Unexplained                     20.00   66.7"))
      << text;
  EXPECT_TRUE(Has(text, " 10.00 ms before the first event")) << text;
}

TEST(ScreenTest, FitsWhateverNamesAndNumbersThereAre) {
  ExpectFits(Screen(""));
  ExpectFits(Screen("0..0 op Operator"));
  std::string drawn =
      "thread 1 main\n0..90000000000000 ProfileStep#0 "
      "ProfileStep\n";
  for (int i = 0; i < 40; ++i) {
    drawn += std::to_string(i * 1000) + ".." + std::to_string(i * 1000 + 900) +
             " \"" + std::string(300, static_cast<char>('a' + i % 26)) +
             std::to_string(i) +
             "\" Operator correlation=" + std::to_string(i + 1) + "\n";
  }
  drawn += "stream 7 GPU:0\n";
  for (int i = 0; i < 40; ++i) {
    drawn += std::to_string(i * 1000000000000) + ".." +
             std::to_string(i * 1000000000000 + 999999999999) + " \"void k" +
             std::to_string(i) + "<" + std::string(200, 'x') +
             ">(int)\" Kernel correlation=" + std::to_string(i + 1) + "\n";
  }
  drawn += "memory 5 +1099511627776 Place(gpu:0) 0x10 total=1099511627776\n";
  ExpectFits(Screen(drawn));
}

TEST(ScreenTest, ALongPathDoesNotWidenTheCommands) {
  TableOptions options = ScreenOptions();
  options.input = std::string(90, 'x') + "/trace.json";
  const std::string text =
      *RenderSummaryOfSteps(*TraceFromText(LoopWithWorker()), options);
  ExpectFits(text);
  EXPECT_TRUE(Has(text, "stepscope advise TRACE")) << text;
  options.input = "my run.sscap";
  EXPECT_TRUE(
      Has(*RenderSummaryOfSteps(*TraceFromText(LoopWithWorker()), options),
          "stepscope advise 'my run.sscap'"));
}

TEST(ScreenTest, WhatCannotBeReadAgainIsNotNamed) {
  TableOptions options = ScreenOptions();
  for (const char* input : {"-", ""}) {
    options.input = input;
    const std::string text =
        *RenderSummaryOfSteps(*TraceFromText(LoopWithWorker()), options);
    EXPECT_TRUE(Has(text, "stepscope advise TRACE")) << text;
  }
}

TEST(ScreenTest, TopAndSortAreTheUsers) {
  TableOptions options = ScreenOptions();
  options.style.top = 1;
  options.sort = SortKey::kCpuTotal;
  const std::string text =
      *RenderSummaryOfSteps(*TraceFromText(LoopWithWorker()), options);
  EXPECT_TRUE(Has(text, "\n  aten::linear")) << text;
  EXPECT_FALSE(Has(text, "\n  aten::addmm")) << text;
}

TEST(ScreenCellsTest, FiguresAsPeopleSayThem) {
  EXPECT_EQ(ScreenUnit(TimeUnit::kAuto, 42'000'000), TimeUnit::kMs);
  EXPECT_EQ(ScreenUnit(TimeUnit::kAuto, 42'000'000'000), TimeUnit::kS);
  EXPECT_EQ(ScreenUnit(TimeUnit::kNs, 42'000'000'000), TimeUnit::kNs);
  EXPECT_EQ(ScreenTime(42'123'456, TimeUnit::kMs), "42.12");
  EXPECT_EQ(ScreenTime(10, TimeUnit::kMs), "<0.01");
  EXPECT_EQ(ScreenTime(0, TimeUnit::kMs), "0.00");
  EXPECT_EQ(ScreenTime(1234567, TimeUnit::kNs), "1,234,567");
  EXPECT_EQ(ScreenPercent(0.12345), "12.3");
  EXPECT_EQ(ScreenPercent(0.0001), "<0.1");
  EXPECT_EQ(ScreenPercent(0), "0.0");
}

TEST(ScreenCellsTest, TextIsWrappedAndCut) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(WrapInto("  a bb ccc", 4, 7, 3), (Lines{"  a bb", "    ccc"}));
  EXPECT_EQ(WrapInto("a bb ccc dd", 0, 5, 1), Lines{"a ..."});
  EXPECT_EQ(WrapInto("short", 2, 80, 2), Lines{"short"});
  EXPECT_EQ(WrapInto("abcdefghij", 2, 5, 2), Lines{"ab..."});
}

}  // namespace
}  // namespace stepscope
