// SPDX-License-Identifier: Apache-2.0
//
// The NVTX tool as a client sees it: its tables, and what is recorded of
// them. The whole path, with a real program, is in tests/run.
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <atomic>
#include <thread>
#include <vector>

#include "inject/nvtx_abi.h"
#include "inject/nvtx_objects.h"
#include "inject/nvtx_ranges.h"

extern "C" int InitializeInjectionNvtx2(
    stepscope::inject::nvtx::GetExportTable get_table);

namespace stepscope::inject::nvtx {
namespace {

constexpr unsigned kIds = 16;
Function core[kIds];
Function core2[kIds];
Function* core_table[kIds];
Function* core2_table[kIds];
unsigned offered = kIds;  // size that the client states

int GetModule(Module module, Function*** table, unsigned* size) {
  if (module != kModuleCore && module != kModuleCore2) return 0;
  for (unsigned i = 1; i < kIds; ++i) {
    core_table[i] = &core[i];
    core2_table[i] = &core2[i];
  }
  *table = module == kModuleCore ? core_table : core2_table;
  *size = offered;
  return 1;
}

const void* GetTable(uint32_t id) {
  static const CallbacksTable table = {sizeof(CallbacksTable), &GetModule};
  return id == kCallbacksTable ? &table : nullptr;
}

template <typename F>
F* As(Function function) {
  return reinterpret_cast<F*>(function);
}

class NvtxTest : public testing::Test {
 protected:
  void SetUp() override {
    offered = kIds;
    for (Function& f : core) f = nullptr;
    for (Function& f : core2) f = nullptr;
    ASSERT_EQ(InitializeInjectionNvtx2(&GetTable), 1);
  }
  int Push(const char* name) {
    return As<int(const char*)>(core[kRangePushA])(name);
  }
  int Pop() { return As<int()>(core[kRangePop])(); }
};

TEST_F(NvtxTest, AClientWithoutTablesIsRefused) {
  EXPECT_EQ(InitializeInjectionNvtx2(nullptr), 0);
  EXPECT_EQ(
      InitializeInjectionNvtx2([](uint32_t) -> const void* { return nullptr; }),
      0);
}

TEST_F(NvtxTest, ASmallerTableIsFilledAsFarAsItGoes) {
  for (Function& f : core) f = nullptr;
  offered = kMarkA + 1;
  ASSERT_EQ(InitializeInjectionNvtx2(&GetTable), 1);
  EXPECT_NE(core[kMarkA], nullptr);
  EXPECT_EQ(core[kMarkW], nullptr);
}

TEST_F(NvtxTest, PushAndPopReturnLevelsOfTheirDomain) {
  auto* domain = As<void*(const char*)>(core2[kDomainCreateA])("other");
  EventAttributes attributes = {};
  attributes.message_type = kMessageAscii;
  attributes.message.ascii = "in another domain";
  auto* push =
      As<int(void*, const EventAttributes*)>(core2[kDomainRangePushEx]);
  auto* pop = As<int(void*)>(core2[kDomainRangePop]);
  EXPECT_EQ(Push("a"), 0);
  EXPECT_EQ(push(domain, &attributes), 0);
  EXPECT_EQ(Push("b"), 1);
  EXPECT_EQ(pop(domain), 0);
  EXPECT_LT(pop(domain), 0);
  EXPECT_EQ(Pop(), 1);
  EXPECT_EQ(Pop(), 0);
  EXPECT_LT(Pop(), 0);
}

TEST_F(NvtxTest, DeeperThanTheStackIsNotRecordedButBalanced) {
  constexpr int kMany = 200;
  for (int i = 0; i < kMany; ++i) Push("deep");
  for (int i = 0; i < kMany; ++i) Pop();
  EXPECT_EQ(Push("again"), 0);
  EXPECT_EQ(Pop(), 0);
}

TEST_F(NvtxTest, OddArgumentsDoNoHarm) {
  As<int(const char*)>(core[kRangePushA])(nullptr);
  Pop();
  As<int(const EventAttributes*)>(core[kRangePushEx])(nullptr);
  Pop();
  EventAttributes attributes = {};
  attributes.message_type = 77;
  attributes.payload_type = -5;
  As<void(const EventAttributes*)>(core[kMarkEx])(&attributes);
  attributes.message_type = kMessageRegistered;  // of null
  As<void(const EventAttributes*)>(core[kMarkEx])(&attributes);
  As<void(uint64_t)>(core[kRangeEnd])(0);
  As<void(uint64_t)>(core[kRangeEnd])(~uint64_t{0});
  As<void(uint32_t, const char*)>(core[kNameOsThreadA])(1, nullptr);
}

// 0: no room.
uint64_t Keep(uint64_t mark) {
  const uint64_t place = ReservePlace();
  if (place != 0) KeepRange(place, {{nullptr, mark}, &default_domain, {}});
  return place;
}

TEST(NvtxRanges, AStartedRangeEndsOnce) {
  const uint64_t id = Keep(7);
  ASSERT_NE(id, 0u);
  OpenRange taken = {};
  EXPECT_TRUE(TakeRange(id, &taken));
  EXPECT_EQ(taken.scope.begin, 7u);
  EXPECT_FALSE(TakeRange(id, &taken));
}

// Each range that finds room is taken exactly once, whoever takes it.
TEST(NvtxRanges, ManyThreadsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr uint64_t kEach = 5000;
  std::atomic<uint64_t> kept{0};
  std::atomic<uint64_t> taken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::vector<uint64_t> ids;
      for (uint64_t i = 0; i < kEach; ++i) {
        const uint64_t mark = static_cast<uint64_t>(t) * kEach + i + 1;
        const uint64_t id = Keep(mark);
        if (id == 0) continue;
        kept += mark;
        ids.push_back(id);
        if (ids.size() < 50) continue;
        for (uint64_t one : ids) {
          OpenRange range = {};
          if (TakeRange(one, &range)) taken += range.scope.begin;
        }
        ids.clear();
      }
      for (uint64_t one : ids) {
        OpenRange range = {};
        if (TakeRange(one, &range)) taken += range.scope.begin;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kept.load(), taken.load());
}

TEST(NvtxRanges, AFullTableSaysSo) {
  std::vector<uint64_t> ids;
  for (;;) {
    const uint64_t id = Keep(1);
    if (id == 0) break;
    ids.push_back(id);
    ASSERT_LT(ids.size(), 100'000u);
  }
  OpenRange range = {};
  for (uint64_t id : ids) EXPECT_TRUE(TakeRange(id, &range));
  EXPECT_NE(Keep(1), 0u);
}

TEST(NvtxObjects, WideTextBecomesUtf8) {
  char text[16];
  Narrow(L"a\u00e9\u20ac\U0001f600", text, sizeof(text));
  EXPECT_STREQ(text, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  Narrow(L"\u20ac\u20ac\u20ac", text, 8);  // never half a character
  EXPECT_STREQ(text, "\xe2\x82\xac\xe2\x82\xac");
  const wchar_t broken[] = {static_cast<wchar_t>(0xd800),
                            static_cast<wchar_t>(0x7fffffff), 0};
  Narrow(broken, text, sizeof(text));
  EXPECT_STREQ(text, "\xef\xbf\xbd\xef\xbf\xbd");
  Narrow(nullptr, text, sizeof(text));
  EXPECT_STREQ(text, "");
}

TEST(NvtxObjects, CategoriesBelongToTheirDomain) {
  Domain* domain = MakeDomain("mine");
  NameCategory(*domain, 3, "third");
  EXPECT_STREQ(domain->CategoryName(3), "third");
  EXPECT_EQ(domain->CategoryName(4), nullptr);
  EXPECT_EQ(default_domain.CategoryName(3), nullptr);
  NameCategory(*domain, 3, "renamed");
  EXPECT_STREQ(domain->CategoryName(3), "renamed");
}

TEST(NvtxObjects, CollectivesAreCommunication) {
  EXPECT_EQ(EventType(*MakeDomain("NCCL"), "x"), STEPSCOPE_COMMUNICATION);
  EXPECT_EQ(EventType(default_domain, "x"), STEPSCOPE_USER_DEFINED);
  EXPECT_EQ(EventType(default_domain, "ProfileStep#1"), STEPSCOPE_PROFILE_STEP);
}

}  // namespace
}  // namespace stepscope::inject::nvtx
