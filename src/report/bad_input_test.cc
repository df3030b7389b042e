// SPDX-License-Identifier: Apache-2.0
//
// Traces that programs really leave behind: every format of the summary is
// made, nothing divides by zero, and what is missing is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "base/cpu_time.h"
#include "base/whole_or_part.h"
#include "report/fluid_report.h"
#include "report/render_advice.h"
#include "report/render_compare.h"
#include "report/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

struct BadInput {
  const char* name;
  const char* text;
  const char* says;  // in the text output
};

std::string Render(const Trace& trace, TableFormat format) {
  TableOptions options;
  options.format = format;
  return RenderSummary(trace, options);
}

void ExpectNumbers(const std::string& text) {
  EXPECT_FALSE(text.empty());
  for (const char* odd : {"nan", "inf ", "inf\n", " -0.00"}) {
    EXPECT_EQ(text.find(odd), text.npos) << odd << " in " << text;
  }
}

void ExpectSane(const Trace& trace) {
  for (const TableFormat format : {TableFormat::kText, TableFormat::kJson,
                                   TableFormat::kCsv, TableFormat::kMarkdown}) {
    for (const bool thread_sep : {false, true}) {
      TableOptions options;
      options.format = format;
      options.thread_sep = thread_sep;
      options.flops = thread_sep;
      options.views = kAllViews;
      ExpectNumbers(RenderSummary(trace, options));
    }
    TableOptions options;
    options.format = format;
    ExpectNumbers(RenderComparison(CompareTraces(trace, trace), options));
  }
  TableOptions options;
  options.views = kAdviceView;
  const Summary summary = ComputeSummary(trace, options);
  ExpectNumbers(RenderAdviceText(summary));
  ExpectNumbers(RenderAdviceJson(summary));
  ExpectNumbers(RenderFluidReport(trace, {}) + "\n");
}

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsSummarisedAndExplained) {
  const auto trace = TraceFromText(GetParam().text);
  ExpectSane(*trace);
  const std::string text = Render(*trace, TableFormat::kText);
  EXPECT_NE(text.find(GetParam().says), text.npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInputTest,
    testing::Values(
        BadInput{"Empty", "", "The trace has no events."},
        BadInput{"NoSteps", "0..1000000 op Operator",
                 "No ProfileStep was recorded: ratios are of the recorded "
                 "window, 1.00 ms."},
        BadInput{"NoGpu",
                 "0..100 ProfileStep#0 ProfileStep\n 1..50 net Forward",
                 "Nothing was recorded for: Distribution, Operator, Kernel"},
        BadInput{"GpuWithoutSteps", "stream 1 GPU:0\n 0..10 k Kernel",
                 "(no launch)"},
        BadInput{"OneEvent", "5..5 alone instant", "alone"},
        BadInput{"ZeroLength",
                 "0..0 ProfileStep#0 ProfileStep\n0..0 op Operator\n"
                 "0..0 net Forward\nstream 1 GPU:0\n0..0 k Kernel",
                 "op"},
        BadInput{"OnlyMemory", "memory 5 +10 Place(cpu) 0x1",
                 "Memory Summary - Place(cpu)"},
        BadInput{"OnlyCounters", "counter 15 loss 0.5", "About this summary"},
        BadInput{"PartialOverlap",
                 "0..10 a Operator\n5..15 b Operator\n7..12 c Operator", "c"},
        BadInput{"ReusedCorrelation",
                 "thread 1\n0..9 op Operator\n1..2 l CudaRuntime "
                 "correlation=1\n3..4 l CudaRuntime correlation=1\n"
                 "stream 1 GPU:0\n2..3 a Kernel correlation=1\n"
                 "5..6 b Kernel correlation=1\n8..9 c Kernel correlation=1",
                 "op"},
        BadInput{"KernelsWithoutLaunch",
                 "thread 1\n0..9 op Operator\nstream 1 GPU:0\n2..3 a Kernel",
                 "1 device event has no recorded launch"},
        BadInput{"LaunchesWithoutKernel",
                 "thread 1\n0..9 op Operator\n1..2 l CudaRuntime "
                 "correlation=1",
                 "CudaRuntime"},
        BadInput{"StepsOverlapAcrossThreads",
                 "thread 1\n0..100 ProfileStep#0 ProfileStep\n1..99 f Forward\n"
                 "thread 2\n50..150 ProfileStep#0 ProfileStep\n51..149 f "
                 "Forward",
                 "ProfileStep"},
        BadInput{"NestedSteps",
                 "0..100 ProfileStep#0 ProfileStep\n10..20 ProfileStep#1 "
                 "ProfileStep\n11..12 f Forward",
                 "ProfileStep"},
        BadInput{"ControlBytes", "0..1 \"a\x1b[2J\x07\" Operator",
                 "a\\x1b[2J\\x07"}),
    [](const testing::TestParamInfo<BadInput>& test) {
      return std::string(test.param.name);
    });

TEST(BadInputTest, SaysWhichOfTheFurtherTablesHaveNothing) {
  const auto trace = TraceFromText("0..100 ProfileStep#0 ProfileStep");
  TableOptions options;
  options.views = kIdleView | kLaunchView | kFlopsView | kWaterfallView;
  const std::string text = RenderSummary(*trace, options);
  EXPECT_NE(text.find("Nothing was recorded for: Idle, Launch, FLOPs."),
            text.npos)
      << text;
}

TEST(BadInputTest, TimesAtTheEndsOfTheRange) {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t track = builder.AddTrack({});
  const StringId name = builder.Intern("far");
  for (const uint16_t type : std::initializer_list<uint16_t>{0, 2, 7, 9}) {
    builder.AddEvent(
        {track, -(int64_t{1} << 61), (int64_t{1} << 62) - 1, name, type, 0});
    builder.AddEvent(
        {track, int64_t{1} << 61, int64_t{1} << 61, name, type, 0});
  }
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace.has_value());
  ExpectSane(**trace);
}

TEST(BadInputTest, UnknownTypesAreListed) {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t track = builder.AddTrack({});
  builder.AddEvent({track, 0, 10, builder.Intern("a"), 50, 0});
  builder.AddEvent({track, 20, 10, builder.Intern("a"), 65535, 0});
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace.has_value());
  const std::string text = Render(**trace, TableFormat::kText);
  EXPECT_NE(text.find("Type 50"), text.npos);
  EXPECT_NE(text.find("Type 64 and above"), text.npos);
}

TEST(BadInputTest, AMillionDistinctNames) {
  constexpr int64_t kNames = WholeOrPart<int64_t>(1'000'000, 100'000);
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t track = builder.AddTrack({});
  for (int64_t i = 0; i < kNames; ++i) {
    builder.AddEvent(
        {track, 10 * i, 5, builder.Intern("op" + std::to_string(i)), 0, 0});
  }
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace.has_value());
  TableOptions options;
  options.views = kAllViews;
  const Summary summary = ComputeSummary(**trace, options);
  ASSERT_EQ(summary.operators.size(), 1u);
  EXPECT_EQ(summary.operators[0].rows.size(), size_t{kNames});
  options.views = kOperatorView;
  const std::string text = RenderSummary(summary, options);
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), kNames);
}

TEST(BadInputTest, NamesOf100KilobytesDoNotWidenTheTable) {
  const std::string name(100000, 'x');
  std::string text;
  for (const char* type : {"Operator", "UserDefined", "OperatorInner"}) {
    text += "0..10 \"" + name + "\" " + type + "\n";
  }
  for (int i = 0; i < 100; ++i) {
    text += "20..30 small" + std::to_string(i) + "\n";
  }
  const auto trace = TraceFromText(text);
  EXPECT_LT(Render(*trace, TableFormat::kText).size(), 100000u);
  // Every other format has it whole.
  EXPECT_NE(Render(*trace, TableFormat::kJson).find(name), std::string::npos);
  EXPECT_NE(Render(*trace, TableFormat::kCsv).find(name), std::string::npos);
}

// Spreadsheets run what begins like a formula.
TEST(BadInputTest, NoNameIsAFormulaInCsv) {
  std::string text;
  for (const char* name : {"=1+1", "+1", "-1", "@x"})
    text += std::string("0..10 \"") + name + "\" Operator\n";
  const auto trace = TraceFromText(text);
  TableOptions options;
  options.format = TableFormat::kCsv;
  const std::string summary = Render(*trace, TableFormat::kCsv);
  const std::string comparison =
      RenderComparison(CompareTraces(*trace, *trace), options);
  for (const char* name : {"'=1+1", "'+1", "'-1", "'@x"}) {
    EXPECT_NE(summary.find(std::string(",") + name + ","), summary.npos)
        << name << "\n"
        << summary;
    EXPECT_NE(comparison.find(std::string("\"") + name + "\""), comparison.npos)
        << name << "\n"
        << comparison;
  }
}

// Quadratic work would take hours here.
TEST(BadInputTest, ThousandsOfOverlappingEvents) {
  constexpr int64_t kCount = 20000;
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t track = builder.AddTrack({});
  for (int64_t i = 0; i < kCount; ++i) {
    builder.AddEvent({track, i, kCount, builder.Intern("op"), 0, 0});
  }
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace.has_value());
  TableOptions options;
  options.views = kAllViews;
  const Summary summary = ComputeSummary(**trace, options);
  EXPECT_EQ(summary.operators[0].rows[0].calls, static_cast<uint64_t>(kCount));
}

// A merged run of many machines. Quadratic work would run into the time limit.
TEST(BadInputTest, ManyProcesses) {
  constexpr uint32_t kCount = 100000;
  TraceBuilder builder;
  for (uint32_t i = 0; i < kCount; ++i) {
    Process process;
    process.pid = i;
    Track track;
    track.process = builder.AddProcess(std::move(process));
    builder.AddEvent(
        {builder.AddTrack(track), i, 1, builder.Intern("op"), 0, 0});
  }
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace.has_value());
  TableOptions options;
  options.views = kAllViews;
  const double before = CpuSeconds();
  const Summary summary = ComputeSummary(**trace, options);
  EXPECT_LT(CpuSeconds() - before, 10 * kCpuFactor);
  EXPECT_EQ(summary.operators[0].rows[0].calls, uint64_t{kCount});
}

}  // namespace
}  // namespace stepscope
