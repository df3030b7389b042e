// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/flame.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/random_trace.h"
#include "base/whole_or_part.h"
#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::server {
namespace {

// Steps with the same calls; each launches a kernel.
std::shared_ptr<const Trace> TwoSteps(int64_t steps = 2) {
  TraceBuilder builder;
  builder.AddProcess({});
  Track thread;
  thread.id = 1;
  Track stream;
  stream.id = 7;
  stream.kind = TrackKind::kStream;
  stream.device = 0;
  const uint32_t tracks[] = {builder.AddTrack(thread),
                             builder.AddTrack(stream)};
  const auto add = [&](int track, const std::string& name, uint16_t type,
                       int64_t start, int64_t dur) {
    EventSpec event;
    event.track = tracks[track];
    event.name = builder.Intern(name);
    event.type = type;
    event.start_ns = start;
    event.dur_ns = dur;
    return builder.AddEvent(event);
  };
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t at = step * 100;
    add(0, "ProfilerStep#" + std::to_string(step), STEPSCOPE_PROFILE_STEP, at,
        90);
    add(0, "model", STEPSCOPE_PYTHON_FUNCTION, at + 10, 60);
    add(0, "conv", STEPSCOPE_OPERATOR, at + 20, 40);
    const auto id = static_cast<uint64_t>(step);
    builder.AddLink({0, LinkSpace::kCorrelation, id,
                     add(0, "launch", STEPSCOPE_CUDA_RUNTIME, at + 30, 5)});
    builder.AddLink({0, LinkSpace::kCorrelation, id,
                     add(1, "gemm", STEPSCOPE_KERNEL, at + 50, 20 + step)});
  }
  return *builder.Finish();
}

// "model;conv": calls and own time.
std::map<std::string, std::pair<uint64_t, int64_t>> Folded(
    const Trace& trace, bool device = false, bool inverted = false,
    std::optional<Interval> range = {}, std::vector<bool> tracks = {},
    bool modules = false) {
  const FoldOptions options = {device, inverted, modules, range,
                               std::move(tracks)};
  const EventTree tree(trace);
  const std::vector<FoldedCall> calls = FoldCalls(tree, options);
  std::vector<std::string> paths(calls.size());
  std::map<std::string, std::pair<uint64_t, int64_t>> folded;
  for (size_t i = 1; i < calls.size(); ++i) {
    const std::string& parent = paths[calls[i].parent];
    paths[i] = (parent.empty() ? "" : parent + ";") +
               std::string(trace.str(calls[i].name));
    folded[paths[i]] = {calls[i].calls, calls[i].self_ns};
  }
  return folded;
}
using Expected = std::map<std::string, std::pair<uint64_t, int64_t>>;

TEST(FlameTest, PutsStepsTogether) {
  EXPECT_EQ(Folded(*TwoSteps()), (Expected{{"model", {2, 40}},
                                           {"model;conv", {2, 70}},
                                           {"model;conv;launch", {2, 10}}}));
}

TEST(FlameTest, PutsNineHundredStepsTogether) {
  EXPECT_EQ(Folded(*TwoSteps(957)),
            (Expected{{"model", {957, 957 * 20}},
                      {"model;conv", {957, 957 * 35}},
                      {"model;conv;launch", {957, 957 * 5}}}));
}

TEST(FlameTest, DeviceTimeStandsBelowWhatLaunchedIt) {
  EXPECT_EQ(Folded(*TwoSteps(), true),
            (Expected{{"model", {2, 0}},
                      {"model;conv", {2, 0}},
                      {"model;conv;gemm", {2, 41}}}));
}

TEST(FlameTest, ACallThatLaunchesTwiceIsOneCall) {
  EXPECT_EQ(
      Folded(*TraceFromText(R"t(
    0..100 conv Operator
      10..20 cudaLaunchKernel CudaRuntime correlation=1
      20..30 cudaLaunchKernel CudaRuntime correlation=2
    stream 7 GPU:0
      40..50 gemm Kernel correlation=1
      50..55 add Kernel correlation=2)t"),
             true),
      (Expected{
          {"conv", {1, 0}}, {"conv;gemm", {1, 10}}, {"conv;add", {1, 5}}}));
}

TEST(FlameTest, InvertedHasCallersBelow) {
  EXPECT_EQ(Folded(*TwoSteps(), true, true),
            (Expected{{"gemm", {2, 0}},
                      {"gemm;conv", {2, 0}},
                      {"gemm;conv;model", {2, 41}}}));
}

// A module, called through functions; its gradient is computed elsewhere.
constexpr std::string_view kModel = R"t(
  thread 1
    0..100 "train.py(5): step" PythonFunction
      10..60 "nn.Module: Net_0" PythonFunction
        12..58 "net.py(9): forward" PythonFunction
          20..40 "nn.Module: Linear_0" PythonFunction
            25..35 aten::linear Operator sequence=1
              30..31 cudaLaunchKernel CudaRuntime correlation=1
  thread 2
    100..120 "autograd::engine::evaluate_function: A" Operator sequence=1
      105..106 cudaLaunchKernel CudaRuntime correlation=2
  stream 7 GPU:0
    40..50 gemm Kernel correlation=1
    110..130 gemm_bw Kernel correlation=2)t";

TEST(FlameTest, ByModuleLeavesFunctionsOut) {
  EXPECT_EQ(
      Folded(*TraceFromText(kModel), false, false, {}, {}, true),
      (Expected{{"nn.Module: Net_0", {1, 30}},
                {"nn.Module: Net_0;nn.Module: Linear_0", {1, 10}},
                {"nn.Module: Net_0;nn.Module: Linear_0;aten::linear", {1, 9}},
                {"nn.Module: Net_0;nn.Module: Linear_0;aten::linear;"
                 "cudaLaunchKernel",
                 {1, 1}},
                {"autograd::engine::evaluate_function: A", {1, 19}},
                {"autograd::engine::evaluate_function: A;cudaLaunchKernel",
                 {1, 1}}}));
}

TEST(FlameTest, ByModuleHasItsGradientsOnTheDevice) {
  const std::string linear = "nn.Module: Net_0;nn.Module: Linear_0";
  const std::string gradient =
      linear + ";autograd::engine::evaluate_function: A";
  EXPECT_EQ(Folded(*TraceFromText(kModel), true, false, {}, {}, true),
            (Expected{{"nn.Module: Net_0", {1, 0}},
                      {linear, {1, 0}},
                      {linear + ";aten::linear", {1, 0}},
                      {linear + ";aten::linear;gemm", {1, 10}},
                      {gradient, {1, 0}},
                      {gradient + ";gemm_bw", {1, 20}}}));
}

// A range between two modules does not part a module from its gradients.
TEST(FlameTest, ByModuleOneModuleIsOneBox) {
  EXPECT_EQ(Folded(*TraceFromText(R"t(
        thread 1
          0..100 "nn.Module: Net_0" PythonFunction
            10..90 forward UserDefined
              20..40 "nn.Module: Linear_0" PythonFunction
                25..35 aten::linear Operator sequence=1
        thread 2
          100..120 "autograd::engine::evaluate_function: A" Operator sequence=1
            105..106 cudaLaunchKernel CudaRuntime correlation=2
        stream 7 GPU:0
          110..130 gemm_bw Kernel correlation=2)t"),
                   true, false, {}, {}, true)
                .count("nn.Module: Net_0;forward;nn.Module: Linear_0"),
            1u);
}

TEST(FlameTest, OfATimeAndOfSomeTracks) {
  EXPECT_EQ(Folded(*TwoSteps(), false, false, Interval{0, 50}),
            (Expected{{"model", {1, 10}},
                      {"model;conv", {1, 25}},
                      {"model;conv;launch", {1, 5}}}));
  EXPECT_EQ(Folded(*TwoSteps(), false, false, {}, {false, true}), Expected{});
}

TEST(FlameTest, AddsUpToTheTimeOfOutermostEvents) {
  for (uint32_t seed = 0; seed < WholeOrPart(200u, 50u); seed += 2) {
    const auto trace = RandomTrace(seed).Make();
    const EventTree tree(*trace);
    const auto is_step = [&](Row row) {
      return trace->type()[row] == STEPSCOPE_PROFILE_STEP;
    };
    int64_t time = 0;
    for (Row row = 0; row < trace->size(); ++row) {
      if (tree.thread_of(row) == kNoThread || is_step(row)) continue;
      Row around = trace->nesting().parent[row];
      while (around != kNoRow && is_step(around))
        around = trace->nesting().parent[around];
      if (around == kNoRow) time += trace->dur_ns()[row];
    }
    FoldOptions options;
    EXPECT_EQ(FoldCalls(tree, options)[0].total_ns, time) << "seed " << seed;
    options.inverted = true;
    EXPECT_EQ(FoldCalls(tree, options)[0].total_ns, time) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stepscope::server
