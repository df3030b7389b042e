// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/python.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::string Parsed(std::string_view text) {
  const PythonName name = ParsePythonName(text);
  return std::string(name.function) + "|" + std::string(name.file) + "|" +
         (name.line ? std::to_string(*name.line) : "");
}

TEST(PythonTableTest, NamesOfThreeRecorders) {
  EXPECT_EQ(Parsed("Model.forward (a (1)/m.py:12)"),
            "Model.forward|a (1)/m.py|12");
  EXPECT_EQ(Parsed("f.<locals>.<lambda> (<stdin>:1)"),
            "f.<locals>.<lambda>|<stdin>|1");
  EXPECT_EQ(Parsed("torch/nn/linear.py(114): forward"),
            "forward|torch/nn/linear.py|114");
  EXPECT_EQ(Parsed("$profiler.py:91 start_trace"),
            "start_trace|profiler.py|91");
}

TEST(PythonTableTest, OtherNamesAreFunctionsAsTheyAre) {
  for (const char* name :
       {"nn.Module: Linear_0", "<built-in method run>", "$core.py f", "(:1)",
        "f (a.py:x)", "", "a(1: b", "$:", "x (a.py:99999999999999999999)"}) {
    EXPECT_EQ(Parsed(name), std::string(name) + "||");
  }
}

std::string Rows(const Summary& summary) {
  std::string text;
  for (const PythonRow& row : summary.python) {
    text += std::string(row.name.function) + " " + std::to_string(row.calls) +
            "+" + std::to_string(row.nested_calls) + " " +
            std::to_string(row.cpu.total_ns) + " " +
            std::to_string(row.self_cpu_ns) + "\n";
  }
  return text;
}

// Tasks that take turns on a thread overlap inside the loop that runs them.
TEST(PythonTableTest, SelfTimeIsNeverNegative) {
  const auto trace = TraceFromText(
      "thread 1 main\n0..100 loop PythonFunction\n0..80 a PythonFunction\n"
      "20..100 b PythonFunction\n30..60 c PythonFunction");
  SummaryOptions options;
  options.views = kPythonView;
  const Summary summary = ComputeSummary(*trace, options);
  int64_t sum = 0;
  for (const PythonRow& row : summary.python) {
    EXPECT_GE(row.self_cpu_ns, 0) << row.event;
    EXPECT_LE(row.cpu.ratio, 1) << row.event;
    if (row.event == "loop") {
      EXPECT_EQ(row.self_cpu_ns, 0);
    }
    sum += row.self_cpu_ns;
  }
  EXPECT_EQ(sum, 160);
}

TEST(PythonTableTest, NativeCodeIsSelfTimeAndRecursionIsOneCall) {
  const auto trace = TraceFromText(R"t(
    0..100 "main (a.py:1)" PythonFunction
      10..60 conv Operator
        20..30 "hook (a.py:9)" PythonFunction
      70..90 "fib (b.py:1)" PythonFunction
        75..85 "fib (b.py:1)" PythonFunction)t");
  EXPECT_EQ(Rows(ComputeSummary(*trace, {})),
            "main 1+0 100 70\n"
            "fib 1+1 20 20\n"
            "hook 1+0 10 10\n");
}

TEST(PythonTableTest, SeveralThreadsAddUp) {
  const auto trace = TraceFromText(R"t(
    thread 1
      0..10 "f (a.py:1)" PythonFunction
    thread 2
      0..20 "f (a.py:1)" PythonFunction
        5..10 "g (a.py:5)" PythonFunction)t");
  EXPECT_EQ(Rows(ComputeSummary(*trace, {})), "f 2+0 30 25\ng 1+0 5 5\n");
}

// A step that begins in one function and ends in another overlaps both.
constexpr std::string_view kNative = R"t(
  thread 1
    10..110 ProfileStep#0 ProfileStep
      20..60 Forward Forward
        30..50 conv Operator
          36..45 compute OperatorInner
      70..80 user UserDefined
    110..210 ProfileStep#1 ProfileStep
      120..160 Forward Forward
        130..150 conv Operator
)t";
constexpr std::string_view kFunctions = R"t(
    0..15 "next_step (a.py:1)" PythonFunction
    18..75 "train (a.py:5)" PythonFunction
    25..35 "hook (a.py:9)" PythonFunction
    105..115 "next_step (a.py:1)" PythonFunction
    205..220 "next_step (a.py:1)" PythonFunction
)t";

TEST(PythonTableTest, FunctionsChangeNoOtherTable) {
  const auto without = TraceFromText(kNative);
  const auto with =
      TraceFromText(std::string(kNative) + std::string(kFunctions));
  const Summary a = ComputeSummary(*without, {});
  const Summary b = ComputeSummary(*with, {});
  ASSERT_EQ(a.operators.size(), b.operators.size());
  ASSERT_EQ(b.operators.at(0).rows.size(), 1u);
  const OperatorRow& x = a.operators[0].rows[0];
  const OperatorRow& y = b.operators[0].rows[0];
  EXPECT_EQ(x.calls, y.calls);
  EXPECT_EQ(x.cpu.total_ns, y.cpu.total_ns);
  EXPECT_EQ(x.inner.size(), 1u);
  EXPECT_EQ(y.inner.size(), 1u);
  ASSERT_EQ(a.model.size(), b.model.size());
  for (size_t i = 0; i < a.model.size(); ++i) {
    EXPECT_EQ(a.model[i].name, b.model[i].name);
    EXPECT_EQ(a.model[i].calls, b.model[i].calls);
    EXPECT_EQ(a.model[i].cpu.total_ns, b.model[i].cpu.total_ns);
  }
  ASSERT_EQ(b.user_defined.size(), 1u);
  EXPECT_EQ(b.user_defined[0].rows.size(), 1u);
  EXPECT_EQ(a.steps.size(), b.steps.size());
  EXPECT_EQ(a.total_ns, b.total_ns);
  EXPECT_EQ(Rows(b), "train 1+0 57 47\nnext_step 3+0 40 40\nhook 1+0 10 10\n");
}

TEST(PythonTableTest, WhatAnOperatorCallsThroughPythonIsItsOwn) {
  const auto trace = TraceFromText(R"t(
    0..100 custom Operator
      10..60 "forward (a.py:1)" PythonFunction
        20..50 compute OperatorInner
          25..30 cudaLaunchKernel CudaRuntime correlation=1
        52..58 cudaLaunchKernel CudaRuntime correlation=2
    stream 7 GPU:0
      40..70 gemm Kernel correlation=1
      70..75 fill Kernel correlation=2)t");
  const Summary summary = ComputeSummary(*trace, {});
  const OperatorRow& row = summary.operators.at(0).rows.at(0);
  EXPECT_EQ(row.gpu.total_ns, 35);
  EXPECT_EQ(row.self_gpu_ns, 5);
  ASSERT_EQ(row.inner.size(), 1u);
  EXPECT_EQ(row.inner[0].name, "compute");
  EXPECT_EQ(row.inner[0].gpu.total_ns, 30);
}

}  // namespace
}  // namespace stepscope
