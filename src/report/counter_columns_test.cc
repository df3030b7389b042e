// SPDX-License-Identifier: Apache-2.0
//
// What counters measured, as each format shows it, and that nothing is said of
// them where there are none.
#include <gtest/gtest.h>

#include <string>

#include "analysis/tables/all_tables.h"
#include "report/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr std::string_view kKernel = "stream 7 GPU:0\n 0..100 gemm Kernel\n";
constexpr std::string_view kCounter =
    "counter 0 \"GPU 0: DRAM read (B/s)\" 3e9\n"
    "counter 100 \"GPU 0: DRAM read (B/s)\" nan\n";

std::string Show(std::string_view text, TableFormat format, ViewSet views) {
  TableOptions options;
  options.views = views;
  options.format = format;
  return *RenderSummaryOfSteps(*TraceFromText(text), options);
}

TEST(CounterColumnsTest, EveryFormatHasThem) {
  const std::string text = std::string(kKernel) + std::string(kCounter);
  const std::string csv = Show(text, TableFormat::kCsv, kKernelView);
  EXPECT_NE(csv.find(",counters_dram_bytes,"), csv.npos) << csv;
  EXPECT_NE(csv.find(",300,"), csv.npos) << csv;
  const std::string json = Show(text, TableFormat::kJson, kKernelView);
  EXPECT_NE(json.find("\"dram_bytes\":300"), json.npos) << json;
  const std::string shown =
      Show(text, TableFormat::kText, *ParseView("roofline"));
  EXPECT_NE(shown.find("Measured Roofline"), shown.npos) << shown;
  EXPECT_NE(shown.find("gemm"), shown.npos) << shown;
}

TEST(CounterColumnsTest, WithoutCountersNothingIsSaidOfThem) {
  for (const TableFormat format : {TableFormat::kJson, TableFormat::kCsv}) {
    const std::string text = Show(kKernel, format, kUsualViews);
    EXPECT_EQ(text.find("dram_bytes"), text.npos);
    EXPECT_EQ(text.find("\"counters\""), text.npos);
  }
}

}  // namespace
}  // namespace stepscope
