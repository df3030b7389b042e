// SPDX-License-Identifier: Apache-2.0
//
// How fast arithmetic is, beside what a device can do; bytes that it moves.
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include "analysis/counters/measured_work.h"
#include "analysis/op_bytes.h"
#include "analysis/tables/flops.h"
#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::optional<int64_t> BytesOf(FlopRule rule, std::vector<Shape> inputs,
                               std::vector<std::string> types,
                               std::vector<std::string> values = {}) {
  OpShapes shapes;
  shapes.inputs = std::move(inputs);
  shapes.values = std::move(values);
  shapes.types = std::move(types);
  const std::optional<int64_t> flops = CountFlops(rule, shapes);
  return flops ? EstimateBytes(rule, shapes, *flops) : std::nullopt;
}

TEST(OpBytesTest, OperandsAreReadAndResultsWrittenOnce) {
  const std::string half = "c10::Half";
  EXPECT_EQ(BytesOf(FlopRule::kMatmul, {{2, 3}, {3, 5}}, {half, half}),
            2 * (6 + 15 + 10));
  // A batch; a weight [out, in]; a bias in another type.
  EXPECT_EQ(BytesOf(FlopRule::kMatmul, {{7, 2, 3}, {7, 3, 5}}, {half, half}),
            2 * 7 * (6 + 15 + 10));
  EXPECT_EQ(BytesOf(FlopRule::kLinear, {{4, 2, 3}, {5, 3}}, {half, half}),
            2 * (24 + 15 + 40));
  EXPECT_EQ(BytesOf(FlopRule::kAddMatmul, {{5}, {2, 3}, {3, 5}},
                    {"float", half, half}),
            4 * 5 + 2 * (6 + 15) + 4 * 10);
  EXPECT_EQ(BytesOf(FlopRule::kGroupedMatmul, {{8, 3}, {2, 3, 5}},
                    {"float", "float"}),
            4 * (24 + 30 + 40));
  EXPECT_EQ(
      BytesOf(FlopRule::kOneProduct, {{4, 2, 3}, {3, 5}}, {"double", "double"}),
      8 * (24 + 15 + 40));
  // 8x8 in 3 planes, 16 filters of 3x3, padded: 16 planes of 8x8 come out.
  const std::vector<std::string> conv = {"",       "",       "", "[1, 1]",
                                         "[1, 1]", "[1, 1]", "1"};
  EXPECT_EQ(BytesOf(FlopRule::kConv, {{2, 3, 8, 8}, {16, 3, 3, 3}, {16}},
                    {half, half, half}, conv),
            2 * (384 + 432 + 16 + 2048));
  EXPECT_EQ(BytesOf(FlopRule::kAttention,
                    {{1, 4, 6, 8}, {1, 2, 10, 8}, {1, 2, 10, 16}},
                    {half, half, half}),
            2 * (192 + 160 + 320 + 4 * 6 * 16));
  // Both gradients; that of the weight alone.
  std::vector<std::string> mask(11);
  const std::vector<Shape> backward = {
      {2, 16, 8, 8}, {2, 3, 8, 8}, {16, 3, 3, 3}};
  mask[10] = "[True, True, False]";
  EXPECT_EQ(
      BytesOf(FlopRule::kConvBackward, backward, {half, half, half}, mask),
      2 * (2048 + 384 + 432 + 384 + 432));
  mask[10] = "[False, True, False]";
  EXPECT_EQ(
      BytesOf(FlopRule::kConvBackward, backward, {half, half, half}, mask),
      2 * (2048 + 384 + 432 + 432));
}

TEST(OpBytesTest, WhatIsNotKnownIsNotGuessed) {
  EXPECT_FALSE(BytesOf(FlopRule::kMatmul, {{2, 3}, {3, 5}}, {}));
  EXPECT_FALSE(BytesOf(FlopRule::kMatmul, {{2, 3}, {3, 5}}, {"float"}));
  EXPECT_FALSE(
      BytesOf(FlopRule::kMatmul, {{2, 3}, {3, 5}}, {"float", "Scalar"}));
  // A transposed convolution: its result depends on the stride.
  std::vector<std::string> values(9);
  values[6] = "True";
  EXPECT_FALSE(BytesOf(FlopRule::kConvolution, {{2, 3, 8, 8}, {3, 16, 3, 3}},
                       {"float", "float"}, values));
}

// Two steps of 100 ns, a product in the first and one after the last.
std::shared_ptr<const Trace> TwoSteps() {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t track = builder.AddTrack({});
  const StringId name = builder.Intern("aten::mm");
  for (const int64_t start : {0, 100})
    builder.AddEvent({track, start, 100, builder.Intern("ProfilerStep"),
                      STEPSCOPE_PROFILE_STEP, 0});
  for (const int64_t start : {10, 250}) {
    const Row row = builder.AddEvent({track, start, 10, name, 0, 0});
    builder.AddRawArgs(row, R"("Input Dims": [[2, 3], [3, 5]],)"
                            R"("Input type": ["float", "float"])");
  }
  return *builder.Finish();
}

TEST(FlopRatesTest, AStepHasTheArithmeticThatBeganInIt) {
  const auto trace = TwoSteps();
  const EventTree tree(*trace);
  FlopsTable table = ComputeFlops(tree, StepTable(tree));
  EXPECT_EQ(table.total_flops, 120);
  EXPECT_EQ(table.rows[0].estimated_bytes(), 2 * 4 * (6 + 15 + 10));
  EXPECT_DOUBLE_EQ(*table.rows[0].intensity(), 60 / 124.0);
  EXPECT_EQ(table.step.flops, 60);
  EXPECT_EQ(table.step.steps, 2u);
  EXPECT_EQ(table.step.time_ns, 200);
  EXPECT_DOUBLE_EQ(table.step.tflops_per_s(), 60 / 200.0 / 1e3);
  // The peak of a device says nothing about the host.
  ComparePeaks({.tflops = 1, .gbs = 1}, table);
  EXPECT_FALSE(table.step.mfu);
  EXPECT_FALSE(table.rows[0].peak_ratio);
}

// An operator whose calls are on the host in part, such as of a loader or with
// kernels that a cut trace lacks.
TEST(FlopRatesTest, TimeOfADeviceAndOfTheHostIsNotAddedUp) {
  TraceBuilder builder;
  BuildFromText(
      "thread 1\n"
      "0..100 aten::mm Operator\n"
      " 10..20 cudaLaunchKernel CudaRuntime correlation=1\n"
      "200..5200 aten::mm Operator\n"
      "stream 7 GPU:0\n"
      "100..140 gemm Kernel correlation=1\n",
      builder);
  const StringId name = builder.Intern("aten::mm");
  for (Row row = 0; row < builder.event_count(); ++row)
    if (builder.name_of(row) == name)
      builder.AddRawArgs(row, R"("Input Dims": [[20, 30], [30, 50]])");
  const auto trace = *builder.Finish();
  const EventTree tree(*trace);
  const FlopsTable table = ComputeFlops(tree, StepTable(tree));
  ASSERT_EQ(table.rows.size(), 1u);
  const FlopsRow& row = table.rows[0];
  EXPECT_EQ(row.flops, 2 * 60'000);
  EXPECT_TRUE(row.on_device());
  EXPECT_EQ(row.time_ns(), 40);
  EXPECT_DOUBLE_EQ(row.tflops_per_s(), 60'000 / 40.0 / 1e3);
}

FlopsTable OnDevice() {
  FlopsTable table;
  FlopsRow fast;
  fast.flops = 4'000'000;  // 40 TFLOP/s
  fast.gpu_ns = 100;
  fast.gpu_flops = fast.flops;
  fast.moved_bytes = 40'000;  // 100 FLOP for each
  FlopsRow slow = fast;
  slow.flops = slow.gpu_flops = 400'000;  // 4 TFLOP/s, 10 FLOP for each byte
  table.rows = {fast, slow};
  table.step.flops = 4'400'000;
  table.step.time_ns = 1000;
  table.step.devices = 2;
  return table;
}

TEST(FlopRatesTest, SharesOfAPeakAndOfARoofline) {
  FlopsTable table = OnDevice();
  ComparePeaks({.tflops = 80, .gbs = 500}, table);
  EXPECT_DOUBLE_EQ(*table.rows[0].peak_ratio, 0.5);
  EXPECT_DOUBLE_EQ(*table.rows[1].peak_ratio, 0.05);
  // Memory allows 50 of 80 TFLOP/s for the one and 5 for the other.
  EXPECT_DOUBLE_EQ(*table.rows[0].roof_ratio, 0.8);
  EXPECT_DOUBLE_EQ(*table.rows[1].roof_ratio, 0.8);
  EXPECT_DOUBLE_EQ(table.step.tflops_per_s(), 2.2);
  EXPECT_DOUBLE_EQ(*table.step.mfu, 2.2 / 80);
  EXPECT_EQ(table.note, "");
  // Memory alone, then nothing.
  ComparePeaks({.gbs = 500}, table);
  EXPECT_FALSE(table.rows[0].peak_ratio);
  EXPECT_DOUBLE_EQ(*table.rows[0].roof_ratio, 0.8);
  EXPECT_FALSE(table.step.mfu);
  ComparePeaks({}, table);
  EXPECT_FALSE(table.rows[0].roof_ratio);
}

TEST(FlopRatesTest, NoShareIsAboveAllThatThereIs) {
  FlopsTable table = OnDevice();
  ComparePeaks({.tflops = 10, .gbs = 100}, table);
  EXPECT_FALSE(table.rows[0].peak_ratio);
  EXPECT_FALSE(table.rows[1].roof_ratio);  // its operands were in a cache
  EXPECT_FALSE(table.step.mfu);
  EXPECT_EQ(table.note,
            "1 operator is faster than the stated peak of 10 TFLOP/s, which "
            "is not that of their device or type.");
}

TEST(FlopRatesTest, ATraceMayStateThePeaks) {
  TraceBuilder builder;
  builder.AddProcess({});
  const auto state = [&](const char* key, const char* value) {
    builder.process(0).metadata.emplace_back(builder.Intern(key),
                                             builder.Intern(value));
  };
  state("/device:GPU:0 memory_bandwidth", "4800000000000");
  state("/device:GPU:0 peak_teraflops_per_second", "989.5");
  state("/device:GPU:1 peak_teraflops_per_second", "nonsense");
  const auto trace = *builder.Finish();
  const StatedPeaks stated = KnownPeaks(*trace, {});
  EXPECT_DOUBLE_EQ(stated.tflops, 989.5);
  EXPECT_DOUBLE_EQ(stated.gbs, 4800);
  // The user knows better.
  EXPECT_DOUBLE_EQ(KnownPeaks(*trace, {.tflops = 60}).tflops, 60);
  EXPECT_DOUBLE_EQ(KnownPeaks(*trace, {.tflops = 60}).gbs, 4800);
}

TEST(FlopRatesTest, ACaptureStatesTheMemoryOfItsDevice) {
  TraceBuilder builder;
  builder.AddProcess({});
  builder.process(0).metadata.emplace_back(
      builder.Intern("GPU0.memory bandwidth KB/s"),
      builder.Intern("4814000000"));
  const auto trace = *builder.Finish();
  EXPECT_DOUBLE_EQ(KnownPeaks(*trace, {}).gbs, 4814);
}

TEST(FlopRatesTest, MeasuredBytesGoBeforeEstimatedOnes) {
  FlopsTable table = OnDevice();
  MeasuredWork work;  // of the first row: 50 FLOP for each byte
  work.work_ns = 100;
  work.flops = 4'000'000;
  work.parts[static_cast<size_t>(CounterMeasure::kDramRead)] = {
      .amount = 80'000, .busy_ns = 100, .measured_ns = 100};
  table.rows[0].measured = &work;
  ComparePeaks({.gbs = 1000}, table);
  EXPECT_DOUBLE_EQ(*table.rows[0].measured_intensity(), 50);
  EXPECT_DOUBLE_EQ(*table.rows[0].roof_ratio, 0.8);
  EXPECT_FALSE(table.rows[1].measured_intensity());
  EXPECT_DOUBLE_EQ(*table.rows[1].roof_ratio, 0.4);
  // Of some calls the operations are not known, and the bytes are of all.
  table.rows[0].calls = 2;
  table.rows[0].counted_calls = 1;
  EXPECT_FALSE(table.rows[0].measured_intensity());
}

}  // namespace
}  // namespace stepscope
