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

// Lines that are wider than a terminal cannot be read, and a part without names
// says of nothing what it says.
TEST(CounterColumnsTest, TheRooflineIsLaidInPartsOfALineEach) {
  const std::string text = Show(
      "stream 7 GPU:0\n"
      " 0..100 " +
          std::string(70, 'k') +
          " Kernel\n 100..300 short Kernel\n"
          "counter 0 \"GPU 0: DRAM read (B/s)\" 3e9\n"
          "counter 300 \"GPU 0: DRAM read (B/s)\" nan\n"
          "counter 0 \"GPU 0: tensor cores active (%)\" 20.0\n"
          "counter 300 \"GPU 0: tensor cores active (%)\" nan\n"
          "counter 0 \"GPU 0: SMs active (%)\" 30.0\n"
          "counter 300 \"GPU 0: SMs active (%)\" nan\n",
      TableFormat::kText, *ParseView("roofline"));
  size_t lines = 0;
  size_t names = 0;
  for (size_t at = 0; at < text.size(); ++lines) {
    const size_t end = std::min(text.find('\n', at), text.size());
    EXPECT_LE(end - at, 100u) << text.substr(at, end - at);
    names += text.substr(at, end - at).find("short") != text.npos;
    at = end + 1;
  }
  EXPECT_GT(lines, 10u);
  EXPECT_GT(names, 1u) << text;
  for (const char* title : {"Tensor cores active (%)", "SMs active (%)",
                            "DRAM (bytes)", "DRAM rate (GB/s)", "GPU ("})
    EXPECT_NE(text.find(title), text.npos) << title << "\n" << text;
}

TEST(CounterColumnsTest, EnergyAddsUp) {
  const std::string text =
      "thread 1\n0..100 ProfileStep#0 ProfileStep\n"
      "counter 0 \"GPU 0: energy (J)\" 1.003\n"
      "counter 200 \"GPU 0: energy (J)\" nan\n"
      "counter 0 \"GPU 0: energy counter step (J)\" 0.01\n";
  const ViewSet views = *ParseView("energy") | kStepsView;
  const std::string json = Show(text, TableFormat::kJson, views);
  for (const char* part :
       {R"("all_j":1.003,"error_j":0.02,"in_steps_j":0.501,"outside_j":0.502)",
        R"("j":0.501,"error_j":0.011,"measured_ratio":1,"shared":true)"})
    EXPECT_NE(json.find(part), json.npos) << json;
  const std::string shown = Show(text, TableFormat::kText, views);
  EXPECT_NE(shown.find("Energy"), shown.npos) << shown;
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
