// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/concluded_iterations.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "analysis/serving/iterations.h"
#include "base/whole_or_part.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

IterationTable ConcludedOf(const std::string& text) {
  static std::shared_ptr<const Trace> trace;  // names live as long
  trace = TraceFromText(text);
  return ComputeIterations(EventTree(*trace));
}

std::string EventLine(int64_t begin, int64_t end, const std::string& rest) {
  return std::to_string(begin) + ".." + std::to_string(end) + " " + rest + "\n";
}

// What a shape of ids is to aten::embedding; empty: none was recorded.
std::string IdsOf(const std::string& shape) {
  return shape.empty() ? ""
                       : " \"Input Dims\"=\"[[50, 8], " + shape + ", [], []]\"";
}

// `count` passes of 100 ns from 1000 on, as generate() without a module makes
// them: the first reads a prompt. Other operators stand before, between and
// inside; `extra` in each.
std::string PassesText(int count, const std::string& first,
                       const std::string& next,
                       const std::string& extra = "aten::mul Operator") {
  std::string text = EventLine(10, 20, "aten::ones Operator") +
                     EventLine(30, 40, "aten::argmax Operator");
  for (int i = 0; i < count; ++i) {
    const int64_t at = 1000 + i * 100;
    text +=
        EventLine(at, at + 10,
                  "aten::embedding Operator" + IdsOf(i == 0 ? first : next)) +
        EventLine(at + 2, at + 8, "aten::embedding Operator") +  // inside it
        EventLine(at + 12, at + 20, "aten::linear Operator") +
        EventLine(at + 14, at + 16,
                  "launch CudaRuntime correlation=" + std::to_string(i + 1)) +
        EventLine(at + 30, at + 32, extra) +
        EventLine(at + 50, at + 60, "aten::argmax Operator") +
        EventLine(at + 70, at + 80, "aten::cat Operator");
  }
  return "thread 1 main\n" + text;
}

TEST(ConcludedIterationsTest, PassesGoFromTheEmbeddingToTheChoiceOfTokens) {
  const IterationTable table =
      ConcludedOf(PassesText(4, "[2, 7]", "[2, 1]") +
                  "stream 7 GPU:0\n1018..1025 gemm Kernel correlation=1\n"
                  "1118..1125 gemm Kernel correlation=2\n");
  ASSERT_EQ(table.list.size(), 4u);
  EXPECT_TRUE(table.concluded);
  EXPECT_EQ(table.engine, "");
  EXPECT_EQ(table.marks_seen, 0u);
  EXPECT_TRUE(table.rule.starts_with("iterations concluded from operators"))
      << table.rule;
  const IterationRow& prompt = table.list[0];
  EXPECT_EQ(prompt.name, "aten::embedding");
  EXPECT_EQ(prompt.start_ns, 1000);
  EXPECT_EQ(prompt.host_ns, 60);
  EXPECT_EQ(prompt.period_ns, 100);
  EXPECT_EQ(prompt.mark.kind, IterationKind::kPrefill);
  EXPECT_EQ(prompt.mark.requests, 2);
  EXPECT_EQ(prompt.mark.tokens_context, 14);
  EXPECT_EQ(prompt.mark.tokens_generation, 0);
  EXPECT_EQ(prompt.kernels, 1u);
  EXPECT_EQ(prompt.gpu_busy_ns, 7);
  EXPECT_EQ(table.list[3].mark.kind, IterationKind::kDecode);
  EXPECT_EQ(table.list[3].mark.tokens_generation, 2);
  EXPECT_EQ(table.list[3].period_ns, std::nullopt);
}

TEST(ConcludedIterationsTest, ShapesThatDoNotTellLeaveTheKindUnknown) {
  const auto kind = [](const std::string& shape) {
    const IterationTable table = ConcludedOf(PassesText(3, shape, shape));
    EXPECT_EQ(table.list.size(), 3u) << shape;
    return table.list.empty() ? IterationKind::kIdle : table.list[0].mark.kind;
  };
  EXPECT_EQ(kind(""), IterationKind::kUnknown);
  EXPECT_EQ(kind("[7]"), IterationKind::kUnknown);  // of how many sequences?
  EXPECT_EQ(kind("[1]"), IterationKind::kDecode);
  EXPECT_EQ(kind("[]"), IterationKind::kUnknown);
  EXPECT_EQ(kind("[0, 1]"), IterationKind::kUnknown);
  EXPECT_EQ(kind("[-1, 4]"), IterationKind::kUnknown);
  EXPECT_EQ(kind("[9223372036854775807, 9223372036854775807]"),
            IterationKind::kUnknown);
  EXPECT_EQ(kind("[1, 2, 3]"), IterationKind::kUnknown);
}

// What a pass launched before the trace was cut off is not the last one's.
TEST(ConcludedIterationsTest, ThePassThatIsCutOffIsOneByItself) {
  const IterationTable table =
      ConcludedOf(PassesText(3, "[1, 4]", "[1, 1]") +
                  "1300..1310 aten::embedding Operator\n"
                  "1312..1320 launch CudaRuntime correlation=9\n"
                  "stream 7 GPU:0\n1330..1340 gemm Kernel correlation=9\n");
  ASSERT_EQ(table.list.size(), 4u);
  EXPECT_EQ(table.list[2].gpu_busy_ns, 0);
  EXPECT_EQ(table.list[3].gpu_busy_ns, 10);
  EXPECT_EQ(table.list[3].host_ns, 10);
}

TEST(ConcludedIterationsTest, NoneWithoutAClearRepetition) {
  const auto count = [](const std::string& text) {
    const IterationTable table = ConcludedOf(text);
    EXPECT_EQ(table.list.empty(), !table.concluded);
    return table.list.size();
  };
  EXPECT_EQ(count(PassesText(2, "[1, 4]", "[1, 1]")), 0u);
  // Nobody chooses a token.
  std::string text = "thread 1 main\n";
  for (int i = 0; i < 9; ++i)
    text += EventLine(i * 10, i * 10 + 5, "aten::embedding Operator");
  EXPECT_EQ(count(text), 0u);
  // Each pass is of other operators.
  text = "thread 1 main\n";
  for (int i = 0; i < 9; ++i)
    text += EventLine(i * 10, i * 10 + 2, "aten::embedding Operator") +
            EventLine(i * 10 + 3, i * 10 + 4,
                      "aten::op" + std::to_string(i) + " Operator") +
            EventLine(i * 10 + 5, i * 10 + 6, "aten::argmax Operator");
  EXPECT_EQ(count(text), 0u);
  // Ranges and Python functions of these names are no operators.
  text = "thread 1 main\n";
  for (int i = 0; i < 9; ++i)
    text += EventLine(i * 10, i * 10 + 2, "aten::embedding") +
            EventLine(i * 10 + 5, i * 10 + 6, "aten::argmax");
  EXPECT_EQ(count(text), 0u);
}

TEST(ConcludedIterationsTest, NoneWhereATraceTrainsOrHasSteps) {
  for (const char* extra :
       {"AddmmBackward0 Operator",
        "\"autograd::engine::evaluate_function: X\" Operator",
        "backward Backward", "Optimizer.step#SGD.step Optimization",
        "ProfileStep#3 ProfileStep"}) {
    const IterationTable table =
        ConcludedOf(PassesText(4, "[2, 7]", "[2, 7]", extra));
    EXPECT_TRUE(table.list.empty()) << extra;
  }
  // Also where another thread or process does.
  const IterationTable table =
      ConcludedOf(PassesText(4, "[2, 7]", "[2, 1]") +
                  "process 2\nthread 5 autograd\n0..9 MulBackward0 Operator\n");
  EXPECT_TRUE(table.list.empty());
}

TEST(ConcludedIterationsTest, MarksWin) {
  const IterationTable table = ConcludedOf(
      PassesText(4, "[2, 7]", "[2, 1]") + "3000..3010 \"step[DECODE bs=2]\"\n");
  EXPECT_FALSE(table.concluded);
  ASSERT_EQ(table.list.size(), 1u);
  EXPECT_EQ(table.engine, "SGLang");
  EXPECT_EQ(table.rule, "launched by its thread up to the next mark");
}

// A model with layers, which another module prepares for.
std::string CallsText(int count, const std::string& model) {
  std::string text = "thread 1 main\n";
  for (int i = 0; i < count; ++i) {
    const int64_t at = i * 200;
    text += EventLine(at, at + 5, "\"nn.Module: Prepare_0\" PythonFunction");
    text += EventLine(at + 90, at + 190,
                      "\"generate.py(3): step\" PythonFunction") +
            EventLine(at + 100, at + 160, model) +
            EventLine(at + 110, at + 120,
                      "\"nn.Module: Linear_0\" PythonFunction") +
            EventLine(at + 112, at + 114,
                      "aten::embedding Operator" +
                          IdsOf(i == 0 ? "[1, 64]" : "[1, 1]")) +
            EventLine(at + 130, at + 140,
                      "\"nn.Module: Linear_0\" PythonFunction") +
            EventLine(at + 165, at + 170, "aten::argmax Operator");
  }
  return text;
}

TEST(ConcludedIterationsTest, OutermostCallsOfTheModel) {
  const std::string model = "\"nn.Module: LlamaForCausalLM_0\" PythonFunction";
  const IterationTable table = ConcludedOf(CallsText(5, model));
  ASSERT_EQ(table.list.size(), 5u);
  EXPECT_EQ(table.list[0].name, "nn.Module: LlamaForCausalLM_0");
  EXPECT_EQ(table.list[0].start_ns, 100);
  EXPECT_EQ(table.list[0].host_ns, 60);
  EXPECT_EQ(table.list[0].period_ns, 200);
  EXPECT_EQ(table.list[0].mark.kind, IterationKind::kPrefill);
  EXPECT_EQ(table.list[1].mark.kind, IterationKind::kDecode);
  EXPECT_EQ(table.rule,
            "iterations concluded from calls of nn.Module LlamaForCausalLM_0; "
            "each owns what its thread launched up to the next one");
  // Paddle's layers are Forward events.
  EXPECT_EQ(ConcludedOf(CallsText(5, "LeNet Forward")).list.size(), 5u);
  // Two are no loop.
  EXPECT_TRUE(ConcludedOf(CallsText(2, model)).list.empty());
}

// Layers that a program calls one by one: operators tell, as without modules.
TEST(ConcludedIterationsTest, NoModuleStandsOut) {
  std::string text = PassesText(5, "", "");
  for (int64_t at = 1000; at < 1500; at += 100)
    for (int64_t layer = 0; layer < 4; ++layer)
      text += EventLine(
          at + 20 + layer * 8, at + 26 + layer * 8,
          "\"nn.Module: Linear_" + std::to_string(layer) + "\" PythonFunction");
  const IterationTable table = ConcludedOf(text);
  ASSERT_EQ(table.list.size(), 5u);
  EXPECT_EQ(table.list[0].name, "aten::embedding");
}

// Two processes that run the same model need not be ranks of one engine.
TEST(ConcludedIterationsTest, ProcessesDoNotRepeatEachOther) {
  const IterationTable table =
      ConcludedOf("process 1 rank=0\n" + PassesText(3, "", "") +
                  "process 2 rank=1\n" + PassesText(3, "", ""));
  ASSERT_EQ(table.kinds.size(), 1u);
  EXPECT_EQ(table.kinds[0].count, 6u);
}

// Whatever operators follow each other: each launch belongs to one iteration at
// most, and what they, outside and unknown have is the time in which devices
// were busy, to the nanosecond.
TEST(ConcludedIterationsTest, DeviceTimeAddsUpWhateverHappens) {
  constexpr const char* kNames[] = {"aten::embedding", "aten::linear",
                                    "aten::argmax", "aten::multinomial",
                                    "\"nn.Module: A_0\""};
  constexpr int kTraces = WholeOrPart(400, 100);
  std::mt19937 random(7);
  const auto upto = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  int concluded = 0;
  for (int round = 0; round < kTraces; ++round) {
    std::string text;
    int64_t correlation = 0;
    for (int64_t thread = 0; thread <= upto(2); ++thread) {
      text += "thread " + std::to_string(thread + 1) + "\n";
      int64_t now = upto(10);
      for (int64_t i = 0; i < 40; ++i) {
        const int64_t which = upto(5);
        const int64_t end = now + 4 + upto(8);
        text +=
            EventLine(now, end,
                      std::string(kNames[which]) +
                          (which == 4 ? " PythonFunction" : " Operator") +
                          (which == 0 && upto(2) == 0 ? IdsOf("[1, 3]") : ""));
        if (upto(2) == 0)
          text += EventLine(now + 1, now + 2,
                            "launch CudaRuntime correlation=" +
                                std::to_string(++correlation));
        now = end + upto(4);
      }
    }
    std::set<int64_t> busy;
    std::set<int64_t> launched;
    text += "stream 7 GPU:0\n";
    for (int64_t i = 0, now = 3; i < 30; ++i) {
      const int64_t end = now + upto(9);
      const int64_t id = 1 + upto(correlation + 3);
      text += EventLine(now, end, "k Kernel correlation=" + std::to_string(id));
      for (int64_t t = now; t < end; ++t) busy.insert(t);
      if (id <= correlation) launched.insert(id);
      now = end + upto(3);
    }
    const IterationTable table = ConcludedOf(text);
    concluded += table.concluded ? 1 : 0;
    if (table.list.empty()) continue;
    int64_t sum = table.outside_ns + table.unknown_ns;
    uint64_t launches = 0;
    for (const IterationRow& one : table.list) {
      ASSERT_GE(one.gpu_busy_ns, 0);
      ASSERT_GE(one.host_ns, 0);
      sum += one.gpu_busy_ns;
      launches += one.launches;
    }
    ASSERT_EQ(sum, table.total_busy_ns) << text;
    ASSERT_EQ(sum, static_cast<int64_t>(busy.size())) << text;
    ASSERT_LE(launches, launched.size()) << text;
  }
  EXPECT_GT(concluded, kTraces / 20);  // or this would show nothing
}

}  // namespace
}  // namespace stepscope
