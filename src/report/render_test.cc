// SPDX-License-Identifier: Apache-2.0
//
// Advice, comparisons and single columns as they are printed.
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "report/compare_columns.h"
#include "report/render_advice.h"
#include "report/render_compare.h"
#include "report/screen.h"
#include "report/summary.h"
#include "report/table_json.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

TEST(RenderAdviceTest, SaysWhenTheTraceIsNotTypical) {
  const auto doubts = [](const char* text) {
    const auto trace = TraceFromText(text);
    SummaryOptions options;
    options.views = kAdviceView;
    const Summary summary = ComputeSummary(*trace, options);
    return RenderAdviceText(summary) + RenderAdviceJson(summary);
  };
  EXPECT_NE(doubts("0..1000 op Operator").find("No step was marked"),
            std::string::npos);
  EXPECT_NE(doubts("0..1000 ProfileStep#0 ProfileStep").find("Only 1 step"),
            std::string::npos);
  EXPECT_NE(doubts("").find("\"representative\":false"), std::string::npos);
}

TEST(RenderAdviceTest, SaysWhyThereIsNothing) {
  const auto text = [](const char* drawn) {
    const auto trace = TraceFromText(drawn);
    SummaryOptions options;
    options.views = kAdviceView;
    const Summary summary = ComputeSummary(*trace, options);
    return RenderAdviceText(summary) + RenderAdviceMarkdown(summary) +
           RenderAdviceJson(summary);
  };
  const std::string plain = text("0..1000 op Operator");
  EXPECT_NE(plain.find("No finding"), std::string::npos);
  EXPECT_NE(plain.find("no step and no device work"), std::string::npos);
  EXPECT_EQ(plain.find("Nothing that was looked for"), std::string::npos);
  EXPECT_NE(text("").find("nothing was recorded"), std::string::npos);
}

// A loader that takes half of the step, with a name that Markdown and a shell
// would read as more than a name.
TEST(RenderAdviceTest, AFindingInEveryFormat) {
  std::string drawn = "thread 1\n";
  for (int i = 0; i < 4; ++i) {
    const auto range = [&](int begin, int end) {
      return std::to_string(i * 1000000 + begin) + ".." +
             std::to_string(i * 1000000 + end);
    };
    drawn += range(0, 990000) + " ProfileStep#" + std::to_string(i) +
             " ProfileStep\n";
    drawn += range(0, 500000) + " \"next *|<b>\" Dataloader\n";
  }
  const auto trace = TraceFromText(drawn);
  SummaryOptions options;
  options.views = kAdviceView;
  const Summary summary = ComputeSummary(*trace, options);
  const std::string text = RenderAdviceText(summary);
  EXPECT_NE(text.find("1. The step waits for the data loader."),
            std::string::npos);
  EXPECT_NE(text.find("Check: stepscope whatif TRACE --change data_ready"),
            std::string::npos);
  const std::string markdown = RenderAdviceMarkdown(summary);
  EXPECT_NE(markdown.find("### 1. The step waits"), std::string::npos);
  EXPECT_NE(markdown.find("`stepscope whatif TRACE --change data_ready`"),
            std::string::npos);
  EXPECT_EQ(markdown.find("<b>"), std::string::npos);
  const std::string json = RenderAdviceJson(summary);
  for (const char* const key :
       {"\"low_ns\":", "\"high_ns\":", "\"change\":\"data_ready\"",
        "\"overlaps\":[]", "\"together_ns\":", "\"replay\":{"}) {
    EXPECT_NE(json.find(key), std::string::npos) << key;
  }
}

TEST(RenderAdviceTest, OtherProgramsAreSaidBeforeAnyFigure) {
  const auto trace = TraceFromText(
      "process 100 cpus=2\ncpu 0.9 0.99\n"
      "thread 1\n0..1000 ProfileStep#0 ProfileStep\n");
  SummaryOptions options;
  options.views = kAdviceView;
  const Summary summary = ComputeSummary(*trace, options);
  const std::string text = RenderAdviceText(summary);
  EXPECT_TRUE(text.starts_with("The machine was busy with other programs"));
  EXPECT_EQ(text.find("The machine was busy", 1), std::string::npos);
  EXPECT_NE(RenderAdviceJson(summary).find("[\"The machine was busy"),
            std::string::npos);
  const std::string screen = RenderScreen(summary, {});
  const size_t said = screen.find("The machine was busy");
  ASSERT_NE(said, std::string::npos);
  EXPECT_EQ(screen.find("The machine was busy", said + 1), std::string::npos);
  EXPECT_LT(said, screen.find("\n\n"));  // in the head
}

// A loader that takes half of the step, from these files.
std::string CheckLineOf(std::initializer_list<const char*> paths) {
  TraceBuilder builder;
  for (const char* path : paths) builder.AddSource("capture", path);
  BuildFromText(
      "thread 1\n"
      "0..990 ProfileStep#0 ProfileStep\n0..500 next Dataloader\n"
      "1000..1990 ProfileStep#1 ProfileStep\n"
      "1000..1500 next Dataloader\n"
      "2000..2990 ProfileStep#2 ProfileStep\n"
      "2000..2500 next Dataloader\n",
      builder);
  const auto trace = *builder.Finish();
  SummaryOptions options;
  options.views = kAdviceView;
  const std::string text = RenderAdviceText(ComputeSummary(*trace, options));
  const size_t at = text.find("Check: ");
  return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(RenderAdviceTest, TheCheckNamesWhatWasRead) {
  EXPECT_EQ(CheckLineOf({"log/a.sscap"}),
            "Check: stepscope whatif log/a.sscap --change data_ready");
  EXPECT_EQ(CheckLineOf({"log/a.sscap", "log/b.sscap"}),
            "Check: stepscope whatif log --change data_ready");
  EXPECT_EQ(CheckLineOf({"/x/my log/a/1.sscap", "/x/my log/b/2.sscap"}),
            "Check: stepscope whatif '/x/my log' --change data_ready");
  EXPECT_EQ(CheckLineOf({"a.sscap", "b.sscap"}),
            "Check: stepscope whatif . --change data_ready");
}

// As the finding of a late rank, which no command can check.
TEST(RenderAdviceTest, ASavingWithoutARange) {
  Finding finding;
  finding.finding = "Rank 1 comes late.";
  finding.saving_basis = "it takes as long as the others";
  finding.saving_ns = finding.low_ns = finding.high_ns = 6860000;
  finding.replayed = true;
  const auto trace = TraceFromText("0..1000 op Operator");
  SummaryOptions options;
  options.views = kAdviceView;
  Summary summary = ComputeSummary(*trace, options);
  summary.advice.findings = {finding};
  EXPECT_NE(RenderAdviceText(summary).find(": it takes"), std::string::npos);
  EXPECT_EQ(RenderAdviceText(summary).find("expected"), std::string::npos);
  summary.advice.findings[0].high_ns = 7000000;
  EXPECT_NE(RenderAdviceText(summary).find("6.86 ms to 7.00 ms expected"),
            std::string::npos)
      << RenderAdviceText(summary);
}

std::shared_ptr<const Trace> Steps(const std::vector<int>& lengths,
                                   const std::string& op = "op") {
  std::string text = "thread 1\n";
  int time = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const auto range = [&](int length) {
      return std::to_string(time) + ".." + std::to_string(time + length);
    };
    text += range(lengths[i]) + " ProfileStep#" + std::to_string(i) +
            " ProfileStep\n";
    text += range(lengths[i] / 2) + " " + op + " Operator\n";
    time += lengths[i] + 10;
  }
  return TraceFromText(text);
}

TEST(RenderCompareTest, EveryFormatOfAnyTwo) {
  const std::vector<std::shared_ptr<const Trace>> traces = {
      TraceFromText(""),
      TraceFromText("0..10 op Operator"),
      TraceFromText("memory 5 +10 Place(cpu) 0x1"),
      TraceFromText("stream 1 GPU:0\n0..0 k Kernel"),
      Steps({0}),
      Steps({10, 20})};
  for (const auto& a : traces) {
    for (const auto& b : traces) {
      const Comparison comparison = CompareTraces(*a, *b);
      for (const TableFormat format :
           {TableFormat::kText, TableFormat::kJson, TableFormat::kCsv,
            TableFormat::kMarkdown}) {
        TableOptions options;
        options.format = format;
        const std::string text = RenderComparison(comparison, options);
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(text.find("nan"), text.npos) << text;
        EXPECT_EQ(text.find("inf"), text.npos) << text;
      }
    }
  }
}

TEST(RenderCompareTest, SaysWhatNoiseAloneCouldDo) {
  const Comparison comparison = CompareTraces(*Steps({1000, 2000, 1500, 900}),
                                              *Steps({1100, 2100, 1700, 1000}));
  const std::string text = RenderComparison(comparison, {});
  EXPECT_NE(text.find("no difference beyond noise"), text.npos) << text;
  EXPECT_NE(text.find(" is resolvable; one of "), text.npos) << text;
}

TEST(RenderCompareTest, LargeCountsAreReadable) {
  Comparison comparison;
  comparison.change.periods_a.resize(1200);
  comparison.change.periods_b.resize(1300);
  CompareRow row;
  row.key.table = CompareTable::kMemory;
  row.key.name = "peak";
  row.in_a = row.in_b = true;
  row.calls_a = 12345;
  row.calls_b = 999;
  row.median_a = 1234567890;
  row.median_b = 1230000000;
  comparison.rows.push_back(row);
  const std::string text = RenderComparison(comparison, {});
  for (const char* shown : {"medians of 1,200 and 1,300 steps", " 12,345 ",
                            " 999 ", " 1,234,567,890 ", " -4,567,890 "}) {
    EXPECT_NE(text.find(shown), text.npos) << shown << "\n" << text;
  }
  // Programs read these.
  for (const TableFormat format : {TableFormat::kJson, TableFormat::kCsv}) {
    TableOptions options;
    options.format = format;
    const std::string figures = RenderComparison(comparison, options);
    EXPECT_NE(figures.find("1234567890"), figures.npos) << figures;
    EXPECT_EQ(figures.find("1,234,567"), figures.npos) << figures;
  }
}

TEST(RenderCompareTest, MoreThanNothingIsNoShareOfIt) {
  Comparison comparison;
  CompareRow row;
  row.key.table = CompareTable::kWaterfall;
  row.key.name = "unexplained";
  row.in_a = row.in_b = true;
  row.median_b = 5'000'000;
  comparison.rows.push_back(row);
  std::string text = RenderComparison(comparison, {});
  EXPECT_NE(text.find("5.000  5.000  from 0"), text.npos) << text;
  comparison.rows[0].median_b = 0;
  text = RenderComparison(comparison, {});
  EXPECT_NE(text.find("+0.00 %"), text.npos) << text;
}

TEST(RenderCompareTest, JsonAnswersTheGate) {
  CompareOptions compare;
  compare.fail_if_slower = 5;
  const auto comparison =
      CompareTraces(*Steps({1000, 1010, 990, 1005}),
                    *Steps({1200, 1190, 1210, 1205}), compare);
  ASSERT_TRUE(comparison);
  TableOptions options;
  options.format = TableFormat::kJson;
  const std::string json = RenderComparison(*comparison, options);
  for (const char* part :
       {R"("verdict":"slower")", R"("conclusive":true)",
        R"("median_a_ns":1007,"median_b_ns":1207,"ratio":0.1986)",
        R"("gate":{"asked":0.05,"answer":"slower","text":"B is slower)",
        R"("steps_needed":3)", R"("warmup_a":0)", R"("p_slower":0.01)"}) {
    EXPECT_NE(json.find(part), json.npos) << part << " in " << json;
  }
}

// What is declared of the rows is what JSON has under that name.
TEST(CompareColumnsTest, AreTheKeysOfJson) {
  for (const bool bytes : {false, true}) {
    const auto trace = bytes ? TraceFromText("memory 5 +10 Place(cpu) 0x1")
                             : Steps({1000, 2000, 1500, 900});
    const Comparison comparison = CompareTraces(*trace, *trace);
    ASSERT_FALSE(comparison.rows.empty());
    TableOptions options;
    options.format = TableFormat::kJson;
    const std::string json = RenderComparison(comparison, options);
    // Rows about memory come last.
    const CompareRow& row =
        bytes ? comparison.rows.back() : comparison.rows.front();
    for (const TableColumn& column : CompareColumns(bytes)) {
      JsonWriter cell;
      WriteCell(cell, column, column.cell(&row));
      const std::string part = "\"" + column.name + "\":" + cell.Take();
      EXPECT_NE(json.find(part), json.npos) << part << " in " << json;
    }
  }
}

TEST(RenderTextTest, FlopsAreAColumnOfTheOperators) {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t track = builder.AddTrack({});
  const Row row =
      builder.AddEvent({track, 0, 10, builder.Intern("aten::mm"), 0, 0});
  builder.AddRawArgs(row, R"("Input Dims": [[2, 3], [3, 5]])");
  const auto trace = *builder.Finish();
  TableOptions options;
  options.flops = true;
  options.views = kOperatorView;
  const std::string text = RenderSummary(*trace, options);
  EXPECT_NE(text.find("FLOPs"), text.npos);
  EXPECT_NE(text.find("  60          \n"), text.npos) << text;
}

}  // namespace
}  // namespace stepscope
