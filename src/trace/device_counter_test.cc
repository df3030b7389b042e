// SPDX-License-Identifier: Apache-2.0
#include "trace/device_counter.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(DeviceCounterTest, NamesOfTracksComeBack) {
  for (size_t i = 0; i < kDeviceCounterKinds; ++i) {
    const DeviceCounter counter{static_cast<DeviceCounterKind>(i),
                                static_cast<int64_t>(3 * i)};
    EXPECT_EQ(FindDeviceCounter(DeviceCounterTrackName(counter)), counter);
  }
  EXPECT_EQ(DeviceCounterTrackName({DeviceCounterKind::kDramRead, 12}),
            "GPU 12: DRAM read (B/s)");
}

TEST(DeviceCounterTest, OtherTracksAreNone) {
  for (const char* name :
       {"", "GPU", "GPU 0", "GPU 0: ", "GPU : power (W)", "GPU -1: power (W)",
        "GPU 0: power (W) ", "GPU 0:power (W)", "MLU 0: power (W)",
        "GPU 99999999999999999999: power (W)", "loss"})
    EXPECT_EQ(FindDeviceCounter(name), std::nullopt) << name;
}

}  // namespace
}  // namespace stepscope
