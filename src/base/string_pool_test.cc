// SPDX-License-Identifier: Apache-2.0
#include "base/string_pool.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/hash.h"

namespace stepscope {
namespace {

TEST(StringPoolTest, EmptyStringIsIdZero) {
  StringPool pool;
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.Intern("").v, 0u);
  EXPECT_EQ(pool.view({0}), "");
}

TEST(StringPoolTest, SameBytesSameId) {
  StringPool pool;
  const StringId a = pool.Intern("conv2d");
  EXPECT_EQ(pool.Intern(std::string("conv2d")), a);
  EXPECT_NE(pool.Intern("conv2D"), a);
  EXPECT_EQ(pool.Find("conv2d"), a);
  EXPECT_EQ(pool.Find("absent").v, 0u);
}

TEST(StringPoolTest, EveryByteIsKept) {
  StringPool pool;
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  const StringId id = pool.Intern(all);
  EXPECT_EQ(pool.view(id), all);
  // Embedded and trailing zeros make different strings.
  EXPECT_NE(pool.Intern(std::string("a\0", 2)), pool.Intern("a"));
}

TEST(StringPoolTest, ManyAndLongStringsSurviveGrowth) {
  StringPool pool;
  std::vector<StringId> ids;
  auto text = [](uint32_t i) {
    std::string s = "name_" + std::to_string(i);
    if (i % 1000 == 0) s.append(100'000, 'x');  // a block of its own
    return s;
  };
  for (uint32_t i = 0; i < 50'000; ++i) ids.push_back(pool.Intern(text(i)));
  StringPool moved = std::move(pool);
  for (uint32_t i = 0; i < 50'000; ++i) {
    ASSERT_EQ(moved.view(ids[i]), text(i));
    ASSERT_EQ(moved.Intern(text(i)), ids[i]);
  }
  EXPECT_EQ(moved.size(), 50'001u);
}

// Names of one template differ in a place that is not looked at first.
TEST(StringPoolTest, AlikeTextsAreToldApart) {
  StringPool pool;
  std::vector<StringId> ids;
  const auto text = [](char c) {
    std::string name(60, '<');
    name[15] = c;
    return name;
  };
  for (char c = 'a'; c <= 'z'; ++c) ids.push_back(pool.Intern(text(c)));
  for (int round = 0; round < 3; ++round)
    for (char c = 'a'; c <= 'z'; ++c)
      EXPECT_EQ(pool.Intern(text(c)), ids[static_cast<size_t>(c - 'a')]);
  EXPECT_EQ(pool.size(), 27u);
}

TEST(StringPoolTest, FirstStringMayBeLong) {
  StringPool pool;
  const std::string big(1 << 20, 'b');
  const StringId id = pool.Intern(big);
  const StringId small = pool.Intern("small");
  EXPECT_EQ(pool.view(id), big);
  EXPECT_EQ(pool.view(small), "small");
}

TEST(StringPoolTest, AForkKnowsTheSameAndGrowsAlone) {
  StringPool pool;
  const StringId conv = pool.Intern("conv");
  StringPool fork = pool.Fork();
  const StringId mine = pool.Intern("mine");
  for (int i = 0; i < 1000; ++i) fork.Intern("fork " + std::to_string(i));
  EXPECT_EQ(fork.Intern("conv"), conv);
  EXPECT_EQ(fork.view(conv), "conv");
  EXPECT_EQ(fork.view(mine), "fork 0");
  EXPECT_EQ(fork.Find("mine"), StringId{});
  EXPECT_EQ(pool.size(), 3u);
  EXPECT_EQ(pool.Find("fork 0"), StringId{});
}

// Joins across files rely on the value.
TEST(StringPoolTest, ABorrowedPoolKnowsItsStringsAndGrows) {
  StringPool pool;
  for (int i = 0; i < 1000; ++i) pool.Intern("text " + std::to_string(i));
  std::vector<std::string_view> views;
  std::vector<uint64_t> hashes;
  for (uint32_t i = 0; i < pool.size(); ++i) {
    views.push_back(pool.view({i}));
    hashes.push_back(pool.hash({i}));
  }
  StringPool borrowed = StringPool::Borrow(views, hashes);
  ASSERT_EQ(borrowed.size(), pool.size());
  for (uint32_t i = 0; i < pool.size(); ++i)
    EXPECT_EQ(borrowed.Find(pool.view({i})), StringId{i});
  EXPECT_EQ(borrowed.view({7}).data(), pool.view({7}).data());
  EXPECT_EQ(borrowed.Intern("text 7"), pool.Find("text 7"));
  EXPECT_EQ(borrowed.Intern("another text").v, pool.size());
  EXPECT_EQ(StringPool::Borrow({}, {}).size(), 1u);
}

TEST(Hash64Test, ValueNeverChanges) {
  EXPECT_EQ(Hash64("conv2d"), 0x5f89ce83875663c3u);
  EXPECT_EQ(Hash64("void gemm_kernel<float>(int)"), 0x12a9c24ebde54a8u);
  std::string text;
  uint64_t all = 0;
  for (int i = 0; i < 40; ++i) {
    all = MixHash(all ^ Hash64(text), 0x9e3779b97f4a7c15u);
    text += static_cast<char>('!' + i * 37);
  }
  EXPECT_EQ(all, 0x1caa51d3d9254d89u);
  StringPool a, b;
  b.Intern("other");
  EXPECT_EQ(a.hash(a.Intern("matmul")), b.hash(b.Intern("matmul")));
  EXPECT_NE(Hash64("a"), Hash64(std::string_view("a\0", 2)));
}

}  // namespace
}  // namespace stepscope
