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

// Last: what was found stays.
TEST(MemoryReports, TheKnownLayoutIsTakenAndLeftAsItWas) {
  const Fake torch("same");
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

}  // namespace
}  // namespace stepscope::torch_abi
