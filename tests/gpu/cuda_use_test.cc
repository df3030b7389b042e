// SPDX-License-Identifier: Apache-2.0
//
// What tells that a process uses CUDA. Each test is a process of its own.
#include "gpu/cuda_use.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace stepscope::gpu {
namespace {

TEST(CudaUse, NotInAPlainProcess) {
  EXPECT_FALSE(ProcessUsesCuda());
  EXPECT_FALSE(ProcessUsesCuda());
}

TEST(CudaUse, ByTheDriver) {
  EXPECT_FALSE(ProcessUsesCuda());
  ASSERT_NE(dlopen(FAKE_DRIVER, RTLD_NOW), nullptr) << dlerror();
  EXPECT_TRUE(ProcessUsesCuda());
}

// What nvcc makes, before its first call; also one that is closed again.
TEST(CudaUse, ByDeviceCode) {
  EXPECT_FALSE(ProcessUsesCuda());
  void* library = dlopen(DEVICE_CODE, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_TRUE(ProcessUsesCuda());
  EXPECT_TRUE(ProcessUsesCuda());
  dlclose(library);
  EXPECT_FALSE(ProcessUsesCuda());
}

TEST(CudaUse, AnotherLibraryIsNoSign) {
  EXPECT_FALSE(ProcessUsesCuda());
  ASSERT_NE(dlopen(FAKE_MLU, RTLD_NOW), nullptr) << dlerror();
  EXPECT_FALSE(ProcessUsesCuda());
}

}  // namespace
}  // namespace stepscope::gpu
