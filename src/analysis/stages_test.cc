// SPDX-License-Identifier: Apache-2.0
#include "analysis/stages.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "analysis/stage_events.h"
#include "analysis/steps.h"
#include "trace/event_type.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// "Forward* 10..40 @1; ...": type, * if concluded, range, id of the thread.
std::string StagesOf(std::string_view text) {
  const std::shared_ptr<const Trace> trace = TraceFromText(text);
  const EventTree tree(*trace);
  const StepTable steps(tree);
  std::string stages;
  for (const StepInterval& stage : steps.stages()) {
    if (!stages.empty()) stages += "; ";
    stages += std::string(EventTypeName(stage.type)) +
              (stage.inferred ? "* " : " ") +
              std::to_string(stage.range.begin) + ".." +
              std::to_string(stage.range.end) + " @" +
              std::to_string(tree.threads()[stage.thread].id);
  }
  return stages;
}

TEST(StagesTest, ForwardIsWhereUsedSequenceNumbersAre) {
  // The copy shares the number of the first layer, as torch counts up only
  // when it makes a node; metrics have a number that nobody uses.
  EXPECT_EQ(StagesOf(R"(
    thread 1
      0..200 ProfileStep#0 ProfileStep
        5..8 aten::to Operator sequence=10
        10..30 aten::conv2d Operator sequence=10
          12..28 aten::convolution Operator sequence=10
        31..40 aten::nll_loss Operator sequence=11
        45..48 aten::argmax Operator sequence=12
        150..160 Optimizer.step#SGD.step Optimization inferred
          151..155 aten::add_ Operator
    thread 2
      60..80 "autograd::engine::evaluate_function: NllLossBackward0" Operator sequence=11
        61..70 NllLossBackward0 Operator sequence=11
      85..140 "autograd::engine::evaluate_function: ConvBackward0" Operator sequence=10)"),
            "Forward* 10..40 @1; Backward* 60..140 @1; "
            "Optimization* 150..160 @1");
}

TEST(StagesTest, OnePassForEachMicroBatch) {
  EXPECT_EQ(StagesOf(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        10..20 mm Operator sequence=1
        30..34 "autograd::engine::evaluate_function: MmBackward0" Operator sequence=1
        35..40 "autograd::engine::evaluate_function: Acc" Operator
        50..60 mm Operator sequence=2
        70..80 "autograd::engine::evaluate_function: MmBackward0" Operator sequence=2)"),
            "Forward* 10..20 @1; Backward* 30..40 @1; Forward* 50..60 @1; "
            "Backward* 70..80 @1");
}

TEST(StagesTest, WithoutSequenceNumbersOperatorsBeforeThePassAreForward) {
  // As `stepscope run` records: functions of autograd are typed Backward.
  EXPECT_EQ(StagesOf(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        1..2 aten::zeros Operator
        3..10 next Dataloader
          4..8 aten::stack Operator
        12..20 mm Operator
        22..30 loss Operator
        31..35 Optimizer.zero_grad#SGD.zero_grad Optimization
          32..34 aten::zero_ Operator
        36..37 aten::ones_like Operator
        40..50 "autograd::engine::evaluate_function: LossBackward0" Backward
          41..49 LossBackward0 Backward
        51..60 "autograd::engine::evaluate_function: MmBackward0" Backward
        70..75 clip Operator
        80..90 Optimizer.step#SGD.step Optimization
      100..200 ProfileStep#1 ProfileStep
        112..120 mm Operator
        140..150 "autograd::engine::evaluate_function: MmBackward0" Backward)"),
            "Dataloader 3..10 @1; Forward* 12..30 @1; Optimization 31..35 @1; "
            "Backward* 40..60 @1; Optimization 80..90 @1; "
            "Forward* 112..120 @1; Backward* 140..150 @1");
}

TEST(StagesTest, NodesAreEnoughForOldFiles) {
  EXPECT_EQ(StagesOf(R"(
    thread 1
      0..20 mm Operator sequence=1
    thread 2
      30..34 MmBackward Operator sequence=1
      35..40 torch::autograd::AccumulateGrad Operator)"),
            "Forward* 0..20 @1; Backward* 30..40 @1");
}

TEST(StagesTest, MarksWin) {
  constexpr std::string_view kText = R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        10..30 net Forward
          12..20 mm Operator sequence=1
        %
        45..55 "autograd::engine::evaluate_function: MmBackward0" Operator sequence=1)";
  const auto with = [&](std::string_view mark) {
    std::string text(kText);
    return StagesOf(text.replace(text.find('%'), 1, mark));
  };
  EXPECT_EQ(with(""), "Forward 10..30 @1; Backward* 45..55 @1");
  EXPECT_EQ(with("40..60 Backward Backward"),
            "Forward 10..30 @1; Backward 40..60 @1");
  // Paddle's name; not that of a node.
  EXPECT_EQ(with("40..60 \"Gradient Backward\" Backward"),
            "Forward 10..30 @1; Backward 40..60 @1");
}

TEST(StagesTest, TimeOfAMarkIsNotGivenAway) {
  // The next batch is loaded within the forward pass.
  EXPECT_EQ(StagesOf(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        10..20 mm Operator sequence=1
        22..30 next Dataloader
        32..40 mm Operator sequence=2
        50..60 "autograd::engine::evaluate_function: MmBackward0" Operator sequence=2
        60..70 "autograd::engine::evaluate_function: MmBackward0" Operator sequence=1)"),
            "Forward* 10..20 @1; Dataloader 22..30 @1; Forward* 32..40 @1; "
            "Backward* 50..70 @1");
}

TEST(StagesTest, RangeOfAWrappedModelIsForward) {
  EXPECT_EQ(StagesOf(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        10..40 DistributedDataParallel.forward UserDefined
          12..18 c10d::broadcast_ Operator
          20..35 mm Operator sequence=1
        42..44 loss Operator sequence=2
    thread 2
      50..60 "autograd::engine::evaluate_function: L" Operator sequence=2
      60..70 "autograd::engine::evaluate_function: M" Operator sequence=1)"),
            "Forward* 10..44 @1; Backward* 50..70 @1");
}

TEST(StagesTest, EachProcessHasItsOwn) {
  EXPECT_EQ(StagesOf(R"(
    process 100 rank=0
    thread 1
      0..20 mm Operator sequence=1
      30..40 "autograd::engine::evaluate_function: M" Operator sequence=1
    process 200 rank=1
    thread 1
      5..25 mm Operator sequence=1
      35..45 "autograd::engine::evaluate_function: M" Operator sequence=1
    process 300
    thread 1
      0..50 load Operator)"),
            "Forward* 0..20 @1; Backward* 30..40 @1; Forward* 5..25 @1; "
            "Backward* 35..45 @1");
}

TEST(StagesTest, StagesOfAHelperThreadAreOnTheThreadThatWaits) {
  EXPECT_EQ(StagesOf(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        10..40 net Forward
    thread 2
      35..60 grad Backward
      0..30 worker Dataloader)"),
            "Forward 10..40 @1; Backward 40..60 @1; Dataloader 0..30 @2");
}

TEST(StagesTest, NothingIsConcludedFromNothing) {
  EXPECT_EQ(StagesOf("0..10 mm Operator sequence=1"), "");
  // A pass of no length, and operators that contain it.
  EXPECT_EQ(StagesOf(R"(
    0..10 mm Operator sequence=1
      5..5 "autograd::engine::evaluate_function: M" Operator sequence=1)"),
            "");
}

TEST(StageEventsTest, ConcludedStagesBecomeEvents) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..100 ProfileStep#0 ProfileStep
        5..8 next Dataloader
        10..20 mm Operator sequence=1
        20..25 mm Operator sequence=2
      90..110 late UserDefined
    thread 2
      30..35 "autograd::engine::evaluate_function: M" Operator sequence=2
      35..40 "autograd::engine::evaluate_function: M" Operator sequence=1)");
  const auto with = AddStageEvents(*trace);
  ASSERT_TRUE(with) << with.error().message;
  ASSERT_NE(*with, nullptr);
  EXPECT_EQ(TraceToText(**with), TraceToText(*TraceFromText(R"(
    thread 1 main
      0..100 ProfileStep#0 ProfileStep
        5..8 next Dataloader
        10..25 Forward Forward inferred
          10..20 mm Operator sequence=1
          20..25 mm Operator sequence=2
        30..40 Backward Backward inferred
      90..110 late UserDefined
    thread 2
      30..35 "autograd::engine::evaluate_function: M" Operator sequence=2
      35..40 "autograd::engine::evaluate_function: M" Operator sequence=1)")));
  // The author's range crosses the forward pass, and stays what it was.
  const auto crossed = AddStageEvents(*TraceFromText(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        15..28 my_forward UserDefined
        10..20 mm Operator sequence=1
      20..25 mm Operator sequence=2
      30..40 "autograd::engine::evaluate_function: M" Operator sequence=2
      40..45 "autograd::engine::evaluate_function: M" Operator sequence=1)"));
  ASSERT_TRUE(crossed);
  ASSERT_NE(*crossed, nullptr);
  const std::string text = TraceToText(**crossed);
  EXPECT_EQ(text.find("Forward inferred"), text.npos) << text;
  EXPECT_NE(text.find("30..45 Backward Backward inferred"), text.npos) << text;

  const auto again = AddStageEvents(**with);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, nullptr);  // nothing is left to conclude
}

}  // namespace
}  // namespace stepscope
