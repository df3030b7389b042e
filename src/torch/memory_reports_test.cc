// SPDX-License-Identifier: Apache-2.0
#include "torch/memory_reports.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

namespace stepscope::torch_abi {
namespace {

class Fake {
 public:
  explicit Fake(const std::string& layout)
      : library_(dlopen(
            (std::string(FAKE_C10_FOLDER) + "/" + layout + "/libfake_c10.so")
                .c_str(),
            RTLD_NOW | RTLD_LOCAL)) {}
  void* get() const { return library_; }
  int Call(const char* name) const {
    return reinterpret_cast<int (*)()>(dlsym(library_, name))();
  }

 private:
  void* library_;
};

constexpr char kOther[] = "this torch reports its allocations in another way";

TEST(MemoryReports, SharedMemoryLeavesTheHostsTotalAsItWas) {
  HostTotal host;
  EXPECT_EQ(host.After(1000, 1000, 0), 1000u);
  EXPECT_EQ(host.After(500, 1500, 0), 1500u);
  EXPECT_EQ(host.After(4096, 0, 4096), 1500u);  // a batch comes
  EXPECT_EQ(host.After(-1000, 500, 0), 500u);
  EXPECT_EQ(host.After(-4096, 0, 0), 0u);  // larger than all: not to be told
  EXPECT_EQ(host.After(6000, 6000, 0), 6000u);
  EXPECT_EQ(host.After(-4096, 0, 0), 6000u);  // it goes
  EXPECT_EQ(host.After(-6000, 0, 0), 0u);
}

TEST(MemoryReports, AnotherTableOfFunctionsIsRefused) {
  const Fake torch("moved");
  ASSERT_NE(torch.get(), nullptr) << dlerror();
  EXPECT_STREQ(FindMemoryReports(torch.get()), kOther);
  EXPECT_EQ(torch.Call("fake_has_reporter"), 0);
}

TEST(MemoryReports, ArgumentsInAnotherOrderAreRefused) {
  const Fake torch("order");
  ASSERT_NE(torch.get(), nullptr) << dlerror();
  EXPECT_STREQ(FindMemoryReports(torch.get()), kOther);
  EXPECT_EQ(torch.Call("fake_has_reporter"), 0);
}

TEST(MemoryReports, ATorchWithoutTheFunctionsIsRefused) {
  EXPECT_STREQ(FindMemoryReports(dlopen(nullptr, RTLD_NOW)),
               "this torch has another interface for allocations");
}

// The numbers of kinds of torch 1.12 to 2.14, and the names of 2.15.
class KnownLayout : public testing::TestWithParam<const char*> {};

TEST_P(KnownLayout, IsTakenAndLeftAsItWas) {
  const Fake torch(GetParam());
  ASSERT_NE(torch.get(), nullptr) << dlerror();
  ASSERT_EQ(FindMemoryReports(torch.get()), nullptr);
  EXPECT_EQ(torch.Call("fake_has_reporter"), 0);
  ASSERT_EQ(ReportMemory(true), nullptr);
  EXPECT_EQ(torch.Call("fake_has_reporter"), 1);
  EXPECT_EQ(torch.Call("fake_is_enabled"), 0);  // nothing records
  ASSERT_EQ(ReportMemory(false), nullptr);
  EXPECT_EQ(torch.Call("fake_has_reporter"), 0);

  // Whoever leaves last takes it away.
  AnnounceProfiler(true);
  ASSERT_EQ(ReportMemory(true), nullptr);
  ASSERT_EQ(ReportMemory(false), nullptr);
  EXPECT_EQ(torch.Call("fake_has_reporter"), 1);
  EXPECT_EQ(torch.Call("fake_is_enabled"), 0);
  AnnounceProfiler(false);
  EXPECT_EQ(torch.Call("fake_has_reporter"), 0);

  // What lies in front of the reporter is not taken away with it.
  ASSERT_EQ(ReportMemory(true), nullptr);
  torch.Call("fake_push_other");
  ASSERT_EQ(ReportMemory(false), nullptr);
  EXPECT_EQ(torch.Call("fake_has_reporter"), 1);
  EXPECT_EQ(torch.Call("fake_is_enabled"), 0);
  EXPECT_EQ(ReportMemory(true), nullptr);  // it is there already
  torch.Call("fake_clear");
}

INSTANTIATE_TEST_SUITE_P(MemoryReports, KnownLayout,
                         testing::Values("same", "kind"));

}  // namespace
}  // namespace stepscope::torch_abi
