// SPDX-License-Identifier: Apache-2.0
//
// Mean power from a counter that changes now and then.
#include "gpu/energy.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace stepscope::gpu {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr const char* kBus = "00000000:01:00.0";

class EnergyTest : public testing::Test {
 protected:
  void SetUp() override {
    void* library = dlopen(FAKE_NVML, RTLD_NOW | RTLD_GLOBAL);
    ASSERT_NE(library, nullptr) << dlerror();
    set_ = reinterpret_cast<void (*)(long long)>(
        dlsym(library, "fake_nvml_energy"));
    set_(0);
  }
  // At `ns`; a tick is four of them.
  bool Read(int64_t ns) {
    return energy_.Read(ns, static_cast<uint64_t>(ns / 4), &mean_);
  }

  void (*set_)(long long) = nullptr;
  Energy energy_;
  Energy::Mean mean_;
};

// The counter is true only when it changes: two seconds of it may hold 1.9 or
// 2.1 seconds of energy otherwise.
TEST_F(EnergyTest, FromChangeToChange) {
  ASSERT_TRUE(energy_.Open(kBus));
  set_(1'000'000);
  EXPECT_FALSE(Read(1 * kSecond));
  EXPECT_FALSE(Read(1 * kSecond + 1000));
  set_(1'013'000);
  EXPECT_FALSE(Read(2 * kSecond));  // the first change: from here on
  set_(1'500'000);
  EXPECT_FALSE(Read(3 * kSecond));  // not due
  EXPECT_FALSE(Read(4 * kSecond));  // due: its age is not known
  EXPECT_FALSE(Read(4 * kSecond + kSecond / 2));
  set_(1'513'000);
  ASSERT_TRUE(Read(5 * kSecond));
  EXPECT_EQ(mean_.start, static_cast<uint64_t>(2 * kSecond / 4));
  EXPECT_EQ(mean_.end, static_cast<uint64_t>(5 * kSecond / 4));
  EXPECT_DOUBLE_EQ(mean_.watts, 500.0 / 3);
}

TEST_F(EnergyTest, CounterThatBeginsAnew) {
  ASSERT_TRUE(energy_.Open(kBus));
  set_(9'000'000);
  Read(1 * kSecond);
  set_(9'001'000);
  Read(1 * kSecond + 1);
  set_(5'000);
  Read(4 * kSecond);
  set_(6'000);
  EXPECT_FALSE(Read(5 * kSecond));  // fewer joules than before
  Read(8 * kSecond);
  set_(406'000);
  ASSERT_TRUE(Read(9 * kSecond));
  EXPECT_DOUBLE_EQ(mean_.watts, 100);
}

TEST_F(EnergyTest, DeviceWithoutACounter) {
  set_(-1);
  EXPECT_FALSE(energy_.Open(kBus));
  EXPECT_FALSE(energy_.Open("00000000:07:00.0"));
}

}  // namespace
}  // namespace stepscope::gpu
