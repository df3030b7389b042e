// SPDX-License-Identifier: Apache-2.0
//
// Energy in windows from a counter that changes now and then.
#include "gpu/energy.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "fake_nvml.h"

namespace stepscope::gpu {
namespace {

using Found = Energy::Found;

constexpr int64_t kSecond = 1'000'000'000;
constexpr const char* kBus = "00000000:01:00.0";

class EnergyTest : public testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen(FAKE_NVML, RTLD_NOW | RTLD_GLOBAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    Count(0);
  }
  void Count(long long millijoules) {
    Control<decltype(&fake_nvml_energy)>("fake_nvml_energy")(0, millijoules);
  }
  template <typename Function>
  Function Control(const char* name) {
    return reinterpret_cast<Function>(dlsym(library_, name));
  }
  bool Open(const char* bus = kBus) {
    return energy_.Open(bus, why_, sizeof(why_));
  }
  // At `ns`; a tick is four of them.
  Found Read(int64_t ns) {
    return energy_.Read(ns, static_cast<uint64_t>(ns / 4), &window_, why_,
                        sizeof(why_));
  }

  void* library_ = nullptr;
  Energy energy_;
  Energy::Window window_;
  char why_[300] = {};
};

// The counter is true only when it changes: two seconds of it may hold 1.9 or
// 2.1 seconds of energy otherwise.
TEST_F(EnergyTest, FromChangeToChange) {
  ASSERT_TRUE(Open());
  Count(1'000'000);
  EXPECT_EQ(Read(1 * kSecond), Found::kNothing);
  EXPECT_EQ(Read(1 * kSecond + 1000), Found::kNothing);
  Count(1'013'000);
  EXPECT_EQ(Read(2 * kSecond), Found::kNothing);  // from here on
  Count(1'500'000);
  EXPECT_EQ(Read(3 * kSecond), Found::kNothing);  // not due
  EXPECT_EQ(Read(4 * kSecond), Found::kNothing);  // due: its age is not known
  EXPECT_EQ(Read(4 * kSecond + kSecond / 2), Found::kNothing);
  Count(1'513'001);
  ASSERT_EQ(Read(5 * kSecond), Found::kWindow);
  EXPECT_EQ(window_.start, static_cast<uint64_t>(2 * kSecond / 4));
  EXPECT_EQ(window_.end, static_cast<uint64_t>(5 * kSecond / 4));
  EXPECT_EQ(window_.millijoules, 500'001);
  EXPECT_EQ(window_.step_millijoules, 13'001);
  EXPECT_DOUBLE_EQ(window_.watts, 500.001 / 3);
  // The next one begins there, and has the larger of its two steps.
  Count(1'600'000);
  EXPECT_EQ(Read(8 * kSecond), Found::kNothing);
  Count(1'601'000);
  ASSERT_EQ(Read(8 * kSecond + 1), Found::kWindow);
  EXPECT_EQ(window_.start, static_cast<uint64_t>(5 * kSecond / 4));
  EXPECT_EQ(window_.millijoules, 87'999);
  EXPECT_EQ(window_.step_millijoules, 13'001);
}

TEST_F(EnergyTest, CounterThatBeginsAnew) {
  ASSERT_TRUE(Open());
  Count(9'000'000);
  Read(1 * kSecond);
  Count(9'001'000);
  EXPECT_EQ(Read(1 * kSecond + 1), Found::kNothing);
  Count(5'000);
  EXPECT_EQ(Read(4 * kSecond), Found::kWentBack);
  Count(6'000);
  EXPECT_EQ(Read(5 * kSecond), Found::kNothing);  // the first change anew
  Count(400'000);
  EXPECT_EQ(Read(8 * kSecond), Found::kNothing);
  Count(406'000);
  ASSERT_EQ(Read(9 * kSecond), Found::kWindow);
  EXPECT_DOUBLE_EQ(window_.watts, 100);
}

TEST_F(EnergyTest, CounterThatGoesBackBetweenTwoReadings) {
  ASSERT_TRUE(Open());
  Count(1'000);
  Read(1 * kSecond);
  Count(2'000);
  EXPECT_EQ(Read(1 * kSecond + 1), Found::kNothing);
  Count(9'000);
  EXPECT_EQ(Read(4 * kSecond), Found::kNothing);
  Count(8'000);
  EXPECT_EQ(Read(5 * kSecond), Found::kWentBack);
  Count(9'000);
  EXPECT_EQ(Read(6 * kSecond), Found::kNothing);
}

TEST_F(EnergyTest, DeviceWithoutACounter) {
  Count(-3);
  EXPECT_FALSE(Open());
  EXPECT_STREQ(why_, "nvmlDeviceGetTotalEnergyConsumption: Not Supported (3)");
  EXPECT_FALSE(Open("00000000:07:00.0"));
  EXPECT_STREQ(why_, "nvmlDeviceGetHandleByPciBusId_v2: Fake Error (6)");
}

// The counter would be that of all slices.
TEST_F(EnergyTest, DeviceThatIsSplit) {
  Control<decltype(&fake_nvml_split)>("fake_nvml_split")(0, 1);
  EXPECT_FALSE(Open());
  EXPECT_NE(std::string(why_).find("MIG"), std::string::npos);
}

TEST_F(EnergyTest, CounterThatFailsLater) {
  ASSERT_TRUE(Open());
  Read(1 * kSecond);
  Count(-15);
  EXPECT_EQ(Read(2 * kSecond), Found::kFailed);
  EXPECT_STREQ(why_, "nvmlDeviceGetTotalEnergyConsumption: Fake Error (15)");
}

TEST_F(EnergyTest, NvmlThatDoesNotStart) {
  Control<decltype(&fake_nvml_init)>("fake_nvml_init")(9);
  EXPECT_FALSE(Open());
  EXPECT_STREQ(why_, "nvmlInit_v2: Fake Error (9)");
}

}  // namespace
}  // namespace stepscope::gpu
