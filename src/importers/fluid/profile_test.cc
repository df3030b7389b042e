// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "importers/proto/samples_test_support.h"

namespace stepscope::proto::fluid {
namespace {

TEST(FluidProfileTest, EveryRecordIsInItsPlace) {
  const auto trace = ImportBytes(ImportFluidProfile, FluidProfileSample());
  EXPECT_EQ(Drawn(*trace),
            "stream 7 GPU:0\n"
            "  200..300 MEMCPY_HtoD Memcpy\n"
            "  1000..3000 conv2d Kernel\n"
            "thread 0\n"
            "  500..1500 ParallelExecutor::Run/conv2d Operator\n"
            "  600..700 conv2d CudaRuntime\n");
  EXPECT_EQ(LedgerText(*trace), "kept 6");
  EXPECT_FALSE(trace->clock().epoch_known);
  EXPECT_EQ(ArgText(*trace, "MEMCPY_HtoD", "bytes"), "4096");
  EXPECT_EQ(ArgText(*trace, "conv2d", "detail_info"), "conv_kernel");
}

// timeline.py mixes the places: its CPU counter reads 320.
TEST(FluidProfileTest, MemoryTotalsArePerPlace) {
  const auto trace = ImportBytes(ImportFluidProfile, FluidProfileSample());
  std::string text;
  for (const MemoryEvent& event : trace->memory()) {
    text += std::to_string(event.time_ns) + " " + std::to_string(event.bytes) +
            " " + std::string(trace->str(event.place)) + " " +
            std::to_string(event.total_allocated) + "\n";
  }
  EXPECT_EQ(text,
            "550 256 Place(gpu:0) 256\n"
            "560 64 Place(cpu:0) 64\n"
            "900 -256 Place(gpu:0) 0\n"
            "900 -64 Place(cpu:0) 0\n");
}

TEST(FluidProfileTest, TypesFollowFromNames) {
  Pb profile;
  for (const char* name :
       {"conv2d", "conv2d/compute", "Executor::Run", "_start_profiler_"})
    profile.Sub(1,
                Pb().Text(1, name).Int(2, 10).Int(3, 20).Int(5, 2).Int(6, 1));
  const auto trace = ImportBytes(ImportFluidProfile, profile.str());
  EXPECT_EQ(Drawn(*trace),
            "thread 1\n"
            "  10..20 conv2d Operator\n"
            "  10..20 conv2d/compute OperatorInner\n"
            "  10..20 Executor::Run UserDefined\n"
            "  10..20 _start_profiler_ UserDefined\n");
  EXPECT_EQ(ArgText(*trace, "conv2d", "block"), "2");
}

TEST(FluidProfileTest, EarlyFilesLackTypeAndMemory) {
  const auto trace =
      ImportBytes(ImportFluidProfile,
                  Pb().Sub(1, Pb().Text(1, "mul").Int(2, 1).Int(3, 2)).str());
  EXPECT_EQ(Drawn(*trace), "thread 0\n  1..2 mul Operator\n");
}

TEST(FluidProfileTest, DamageIsCounted) {
  Pb profile;
  profile.Sub(1, Pb().Text(1, "a").Int(2, 10).Int(3, 20));
  profile.Sub(1, Pb().Text(1, "b").Int(2, 10));
  profile.Sub(1, Pb().Text(1, "c").Int(2, 20).Int(3, 10));
  profile.Sub(1, Pb().Text(1, "d").Int(2, 10).Int(3, 20).Int(8, 77));
  profile.Sub(4, Pb().Int(1, 20).Int(2, 10).Int(3, 8));
  profile.Sub(4, Pb().Int(1, 20).Int(2, 30).Int(3, -1));
  profile.Raw("\x0a\x7f\x0a\x01");
  EXPECT_EQ(LedgerText(*ImportBytes(ImportFluidProfile, profile.str())),
            "kept 1, end before start 2, unknown event type 1, -no time 1, "
            "-record cut short 1, -size out of range 1");
}

}  // namespace
}  // namespace stepscope::proto::fluid
