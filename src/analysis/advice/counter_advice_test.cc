// SPDX-License-Identifier: Apache-2.0
//
// Findings that hardware counters found, and that they forbid.
#include <gtest/gtest.h>

#include <string>

#include "analysis/headline.h"
#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr std::string_view kFloatProduct = "ampere_sgemm_128x64_nn";
constexpr std::string_view kHalfProduct = "ampere_fp16_s16816gemm_fp16_128x64";

struct Counted {
  std::string kernel;
  std::string dram = "0.0";    // bytes per second
  std::string tensor = "0.0";  // percent
};

// Steps of one kernel each, with its counters.
Summary AskOf(const Counted& counted) {
  constexpr int64_t kStepNs = 1'000'000;
  std::string host = "thread 1 main\n";
  std::string device = "stream 7 GPU:0\n";
  std::string counters;
  for (int step = 0; step < 5; ++step) {
    const auto range = [&](int64_t begin, int64_t end) {
      return std::to_string(step * kStepNs + begin) + ".." +
             std::to_string(step * kStepNs + end);
    };
    const std::string id = std::to_string(step);
    host += range(0, 990'000) + " ProfileStep#" + id + " ProfileStep\n" +
            range(0, 5'000) +
            " cudaLaunchKernel CudaRuntime correlation=" + id + "\n" +
            range(10'000, 988'000) + " cudaDeviceSynchronize CudaRuntime\n";
    device += range(8'000, 985'000) + " " + counted.kernel +
              " Kernel correlation=" + id + "\n";
    const auto sample = [&](int64_t at, const char* what,
                            const std::string& value) {
      counters += "counter " + std::to_string(step * kStepNs + at) +
                  " \"GPU 0: " + what + "\" " + value + "\n";
    };
    sample(8'000, "DRAM read (B/s)", counted.dram);
    sample(985'000, "DRAM read (B/s)", "nan");
    sample(8'000, "tensor cores active (%)", counted.tensor);
    sample(985'000, "tensor cores active (%)", "nan");
  }
  static std::shared_ptr<const Trace> trace;
  trace = TraceFromText(host + device + counters);
  SummaryOptions options;
  options.views = kAdviceView;
  options.device_peaks = {.gbs = 1000};
  return ComputeSummary(*trace, options);
}

Finding FindingOf(const Summary& summary, std::string_view id) {
  for (const Finding& finding : summary.advice.findings)
    if (finding.id == id) return finding;
  return {};
}

TEST(CounterAdviceTest, AKernelThatFillsTheMemorysBandwidth) {
  const Summary summary = AskOf({.kernel = "copy_all", .dram = "810e9"});
  const Finding finding = FindingOf(summary, "memory_bound");
  EXPECT_EQ(finding.finding,
            "Kernels are memory-bound: 81.0 % of this card's bandwidth, as its "
            "counters measured.");
  EXPECT_EQ(finding.change, "kernel:copy_all=0.5");
  EXPECT_TRUE(finding.replayed);
  EXPECT_NEAR(static_cast<double>(finding.saving_ns), 488e3, 30e3);
  ASSERT_EQ(finding.evidence.size(), 1u);
  EXPECT_NE(finding.evidence[0].what.find("81.0 % of the bandwidth"),
            std::string::npos);
  EXPECT_EQ(HeadlineOf(summary).back(), finding.finding);
}

TEST(CounterAdviceTest, NothingIsSaidOfWhatWasNotMeasured) {
  EXPECT_EQ(
      FindingOf(AskOf({.kernel = "copy_all", .dram = "500e9"}), "memory_bound")
          .id,
      "");
  EXPECT_EQ(
      FindingOf(AskOf({.kernel = "copy_all", .dram = "nan"}), "memory_bound")
          .id,
      "");
  // More than the device can do: it is another device.
  EXPECT_EQ(
      FindingOf(AskOf({.kernel = "copy_all", .dram = "1200e9"}), "memory_bound")
          .id,
      "");
}

TEST(CounterAdviceTest, CountersSayWhetherTensorCoresAreUsed) {
  const Finding as_named =
      FindingOf(AskOf({.kernel = std::string(kFloatProduct)}), "tensor_cores");
  EXPECT_NE(as_named.finding.find("(measured)"), std::string::npos);
  EXPECT_TRUE(as_named.replayed);
  // They know better than names, in both ways; a replay goes by names.
  EXPECT_EQ(
      FindingOf(AskOf({.kernel = std::string(kFloatProduct), .tensor = "40.0"}),
                "tensor_cores")
          .id,
      "");
  const Finding unlike_name =
      FindingOf(AskOf({.kernel = std::string(kHalfProduct)}), "tensor_cores");
  EXPECT_NE(unlike_name.finding.find("(measured)"), std::string::npos);
  EXPECT_FALSE(unlike_name.replayed);
  // Not measured: by name.
  EXPECT_NE(
      FindingOf(AskOf({.kernel = std::string(kFloatProduct), .tensor = "nan"}),
                "tensor_cores")
          .finding.find("(estimated by the names"),
      std::string::npos);
}

TEST(CounterAdviceTest, TensorCoresDoNotHelpWhereTheMemoryIsTheLimit) {
  const Summary summary =
      AskOf({.kernel = std::string(kFloatProduct), .dram = "900e9"});
  EXPECT_EQ(FindingOf(summary, "tensor_cores").id, "");
  EXPECT_EQ(FindingOf(summary, "memory_bound").id, "memory_bound");
}

}  // namespace
}  // namespace stepscope
