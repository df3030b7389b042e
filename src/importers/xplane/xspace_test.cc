// SPDX-License-Identifier: Apache-2.0
#include "importers/xplane/xspace.h"

#include <gtest/gtest.h>

#include "importers/proto/samples_test_support.h"

namespace stepscope::proto::xplane {
namespace {

std::shared_ptr<const Trace> Sample(const ImportOptions& options = {}) {
  return ImportBytes(ImportXSpace, XSpaceSample(), options);
}

TEST(XSpaceTest, EveryRecordIsInItsPlace) {
  const auto trace = Sample();
  EXPECT_EQ(Drawn(*trace),
            "thread 40 python3\n"
            "  5000..6000 train ProfileStep\n"
            "  5000..5000 MatMul Operator\n"
            "  5100..5500 MatMul Operator\n"
            "  5200..5250 cuLaunchKernel CudaRuntime\n"
            "async 40 python3 allocations\n"
            "  5300..5300 MemoryAllocation UserDefined\n"
            "thread 41 worker\n"
            "  5600..5610 $train.py:3 step PythonFunction\n"
            "stream 14 GPU:1 Stream #14(Compute)\n"
            "  5500..5601 sgemm Kernel\n"
            "async -559038734 /device:GPU:1 TensorFlow Ops\n"
            "  5500..5600 MatMul UserDefined\n");
  EXPECT_EQ(LedgerText(*trace),
            "kept 7, aggregated event put at the start of its line 1");
  EXPECT_TRUE(trace->clock().epoch_known);
  EXPECT_EQ(trace->epoch_ns(), kSampleTime);
  EXPECT_EQ(trace->str(trace->processes()[0].host), "node7");
}

TEST(XSpaceTest, StatsAreArgumentsAndLinks) {
  const auto trace = Sample();
  EXPECT_EQ(ArgText(*trace, "train", "step"), "3");
  EXPECT_EQ(ArgText(*trace, "sgemm", "grid"), "160,1,1");
  EXPECT_EQ(ArgText(*trace, "sgemm", "block"), "1024,1,1");
  EXPECT_EQ(ArgText(*trace, "sgemm", "shared memory"), "16");
  EXPECT_EQ(ArgText(*trace, "sgemm", "registers per thread"), "38");
  EXPECT_EQ(ArgText(*trace, "sgemm", "fraction"), "12.5");
  EXPECT_EQ(ArgText(*trace, "MatMul", "name"), "dense/MatMul:MatMul");
  EXPECT_EQ(ArgText(*trace, "MatMul", "num_occurrences"), "6");
  ASSERT_EQ(trace->links().size(), 2u);
  EXPECT_EQ(trace->links()[0].id, 77u);
  EXPECT_EQ(trace->links()[1].row, FindRow(*trace, "sgemm"));
}

TEST(XSpaceTest, AllocationsAreMemoryEvents) {
  const auto trace = Sample();
  ASSERT_EQ(trace->memory().size(), 1u);
  EXPECT_EQ(trace->memory()[0].bytes, 256);
  EXPECT_EQ(trace->memory()[0].total_allocated, 2048u);
  EXPECT_EQ(trace->str(trace->memory()[0].place), "bfc");
  EXPECT_EQ(trace->memory()[0].owner, FindRow(*trace, "MatMul") + 1);
}

TEST(XSpaceTest, ArrowsGoFromProducerToConsumer) {
  const auto trace = Sample();
  ASSERT_EQ(trace->flows().size(), 2u);
  EXPECT_EQ(trace->flows()[0].time_ns, 5200);
  EXPECT_EQ(trace->flows()[0].phase, FlowPhase::kBegin);
  EXPECT_EQ(trace->flows()[1].time_ns, 5600);
  EXPECT_EQ(trace->flows()[0].id, trace->flows()[1].id);
  ImportOptions options;
  options.formats.Set(XPlaneOptions{.dataflow = false});
  EXPECT_TRUE(Sample(options)->flows().empty());
}

TEST(XSpaceTest, DetailsInAnotherFormAreKeptWhole) {
  const Pb plane =
      Pb().Text(2, "/device:GPU:0")
          .Sub(3, Pb().Int(1, 1)
                      .Text(2, "Stream #1")
                      .Sub(4, Pb().Int(1, 1).Int(3, 1000).Sub(
                                  4, Pb().Int(1, 1).Text(5, "regs:4 warp:8"))))
          .Sub(4, Pb().Int(1, 1).Sub(2, Pb().Int(1, 1).Text(2, "k")))
          .Sub(5,
               Pb().Int(1, 1).Sub(2, Pb().Int(1, 1).Text(2, "kernel_details")));
  const auto trace = ImportBytes(ImportXSpace, Pb().Sub(1, plane).str());
  EXPECT_EQ(ArgText(*trace, "k", "kernel_details"), "regs:4 warp:8");
  EXPECT_EQ(ArgText(*trace, "k", "grid"), "-");
}

TEST(XSpaceTest, StepsOfTheDeviceCountWhereTheHostHasNone) {
  const Pb plane =
      Pb().Text(2, "/device:TPU:0")
          .Sub(3, Pb().Int(1, 1)
                      .Text(2, "Steps")
                      .Sub(4, Pb().Int(1, 1).Int(3, 9000)))
          .Sub(3, Pb().Int(1, 2)
                      .Text(2, "XLA Ops")
                      .Sub(4, Pb().Int(1, 2).Int(3, 1000)))
          .Sub(4, Pb().Int(1, 1).Sub(2, Pb().Int(1, 1).Text(2, "12")))
          .Sub(4, Pb().Int(1, 2).Sub(2, Pb().Int(1, 2).Text(2, "fusion")));
  EXPECT_EQ(Drawn(*ImportBytes(ImportXSpace, Pb().Sub(1, plane).str())),
            "thread 1 /device:TPU:0 Steps\n"
            "  0..9 12 ProfileStep\n"
            "stream 2 TPU:0 XLA Ops\n"
            "  0..1 fusion Kernel\n");
}

// Floors of start and end, so that what nests goes on nesting.
TEST(XSpaceTest, PicosecondsRoundWithoutBreakingNests) {
  const Pb line = Pb().Int(1, 1)
                      .Text(2, "t")
                      .Sub(4, Pb().Int(1, 1).Int(2, 900).Int(3, 1200))
                      .Sub(4, Pb().Int(1, 1).Int(2, 1900).Int(3, 200))
                      .Sub(4, Pb().Int(1, 1).Int(2, -1).Int(3, 0));
  const Pb plane =
      Pb().Text(2, "/host:CPU")
          .Sub(3, line)
          .Sub(4, Pb().Int(1, 1).Sub(2, Pb().Int(1, 1).Text(2, "e")));
  EXPECT_EQ(Drawn(*ImportBytes(ImportXSpace, Pb().Sub(1, plane).str())),
            "thread 1 t\n"
            "  -1..-1 e UserDefined\n"
            "  0..2 e UserDefined\n"
            "  1..2 e UserDefined\n");
}

TEST(XSpaceTest, OddEventsAreCounted) {
  const Pb line = Pb().Int(1, 1)
                      .Text(2, "t")
                      .Int(3, INT64_MAX)
                      .Sub(4, Pb().Int(1, 1).Int(2, 5000))
                      .Sub(4, Pb().Int(1, 99).Int(2, INT64_MIN))
                      .Sub(4, Pb().Int(1, 1).Double(2, 1))
                      .Sub(4, Pb().Int(1, 1).Sub(4, Pb().Int(1, 1)));
  const Pb other = Pb().Int(1, 2).Text(2, "u").Sub(
      4, Pb().Int(1, 98).Int(2, 1000).Int(3, -5000));
  const Pb plane = Pb().Text(2, "/host:CPU").Sub(3, line).Sub(3, other);
  EXPECT_EQ(
      LedgerText(*ImportBytes(ImportXSpace, Pb().Sub(1, plane).str())),
      "kept 0, event of no metadata 1, -event with an unreadable field 2, "
      "-time out of range 2");
}

TEST(XSpaceTest, RolesOfLines) {
  EXPECT_EQ(RoleOfLine("/host:CPU", "Steps", 1), LineRole::kHostThread);
  EXPECT_EQ(RoleOfLine("/device:GPU:0", "Stream #7(Kernel)", 7),
            LineRole::kDeviceStream);
  EXPECT_EQ(RoleOfLine("/device:GPU:0", "XLA Ops", 3), LineRole::kDerived);
  EXPECT_EQ(
      RoleOfLine("/device:GPU:0", "new", static_cast<int32_t>(0xdeadbeef)),
      LineRole::kDerived);
  EXPECT_EQ(RoleOfLine("/device:CUSTOM:x", "y", 1), LineRole::kDerived);
}

}  // namespace
}  // namespace stepscope::proto::xplane
