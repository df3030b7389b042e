// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/device_peaks.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

DevicePeaks PeaksWith(
    const std::vector<std::pair<std::string, std::string>>& metadata) {
  TraceBuilder builder;
  builder.AddProcess({});
  for (const auto& [key, value] : metadata) {
    builder.process(0).metadata.emplace_back(builder.Intern(key),
                                             builder.Intern(value));
  }
  return FindDevicePeaks(**builder.Finish());
}

TEST(DevicePeaksTest, OfKnownDevices) {
  const DevicePeaks torch =
      PeaksWith({{"deviceProperties",
                  R"([{"id":0,"name":"NVIDIA H200","computeMajor":9}])"}});
  EXPECT_EQ(torch.device, "NVIDIA H200");
  EXPECT_EQ(torch.tensor, 494);
  const DevicePeaks capture =
      PeaksWith({{"GPU0.name", "NVIDIA A100-SXM4-80GB"},
                 {"GPU0.compute capability major", "8"},
                 {"GPU0.compute capability minor", "0"}});
  EXPECT_EQ(capture.float32, 19.5);
  EXPECT_EQ(PeaksWith({{"GPU0.name", "NVIDIA H20"}}).tensor, 74);
}

TEST(DevicePeaksTest, ByGenerationAndUnknown) {
  const DevicePeaks newer = PeaksWith(
      {{"GPU0.name", "a new one"}, {"GPU0.compute capability major", "9"}});
  EXPECT_TRUE(newer.known());
  EXPECT_FALSE(PeaksWith({{"GPU0.name", "an old one"}}).known());
  EXPECT_FALSE(PeaksWith({}).known());
  EXPECT_FALSE(PeaksWith({{"deviceProperties", "]["}}).known());
}

}  // namespace
}  // namespace stepscope
