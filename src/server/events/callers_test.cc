// SPDX-License-Identifier: Apache-2.0
#include "server/events/callers.h"

#include <gtest/gtest.h>

#include <string>

#include "server/events/event_json.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::server {
namespace {

constexpr std::string_view kCalledModel = R"t(
  thread 1
    0..100 "train.py(5): step" PythonFunction
      10..90 "nn.Module: Net_0" PythonFunction
        12..88 "net.py(9): forward" PythonFunction
          20..40 "nn.Module: Linear_0" PythonFunction
            25..35 aten::linear Operator
              30..31 cudaLaunchKernel CudaRuntime correlation=1
  stream 7 GPU:0
    40..50 gemm Kernel correlation=1)t";

std::string CallersText(const Trace& trace, std::string_view name) {
  const EventTree tree(trace);
  std::string text;
  for (Row row = 0; row < trace.size(); ++row)
    if (trace.str(trace.name()[row]) == name)
      for (const EventFact& fact : CallersOf(tree, row))
        text += std::string(fact.label) + "=" + fact.value + "\n";
  return text;
}

TEST(CallersTest, ModuleAndLineOfTheLaunch) {
  const auto trace = TraceFromText(kCalledModel);
  const std::string expected =
      "Module=Net_0 \u203a Linear_0\nPython=net.py:9, forward\n";
  EXPECT_EQ(CallersText(*trace, "gemm"), expected);
  EXPECT_EQ(CallersText(*trace, "aten::linear"), expected);
  EXPECT_EQ(CallersText(*trace, "nn.Module: Linear_0"),
            "Module=Net_0\nPython=net.py:9, forward\n");
  EXPECT_EQ(CallersText(*trace, "train.py(5): step"), "");
}

TEST(CallersTest, AStackThatAnOperatorStates) {
  const auto trace = TraceFromText(R"t(
    0..100 aten::conv2d Operator "Call stack"="net.py(7): forward;a.py(1): f"
      10..20 aten::_conv Operator
    100..110 aten::add Operator)t");
  EXPECT_EQ(CallersText(*trace, "aten::_conv"), "Python=net.py:7, forward\n");
  EXPECT_EQ(CallersText(*trace, "aten::add"), "");
}

// Python's functions may overlap other events, and then lie on another lane.
TEST(CallersTest, AncestorsOfAnyLaneAreNamed) {
  const OpenTrace open(TraceFromText(R"t(
    0..50 ProfileStep#0 ProfileStep
    10..100 "train.py(5): step" PythonFunction
    60..70 aten::add Operator)t"));
  Row add = 0;
  while (open.trace().str(open.trace().name()[add]) != "aten::add") ++add;
  const std::string json = EventJson(open, add);
  EXPECT_NE(json.find(R"("ancestors":[{"row":)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("value":"train.py:5, step")"), std::string::npos)
      << json;
}

}  // namespace
}  // namespace stepscope::server
