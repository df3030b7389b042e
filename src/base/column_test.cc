// SPDX-License-Identifier: Apache-2.0
#include "base/column.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace stepscope {
namespace {

TEST(ColumnTest, GrowsThroughEverySizeClass) {
  Column<uint64_t> column;
  constexpr uint64_t kCount = 2'000'000;  // 16 MB: heap, pages, huge pages
  for (uint64_t i = 0; i < kCount; ++i) ASSERT_TRUE(column.Append(i * 3));
  ASSERT_EQ(column.size(), kCount);
  for (uint64_t i = 0; i < kCount; ++i) ASSERT_EQ(column[i], i * 3);
}

TEST(ColumnTest, AppendsManyAtOnce) {
  Column<uint64_t> column;
  const uint64_t few[] = {1, 2, 3};
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(column.AppendAll(few));
  ASSERT_TRUE(column.AppendAll({}));
  ASSERT_EQ(column.size(), 3000u);
  for (size_t i = 0; i < 3000; ++i) ASSERT_EQ(column[i], i % 3 + 1);
}

TEST(ColumnTest, KeepsValuesAndZerosWhenItGrows) {
  // Heap, pages and huge pages, and from each to the next.
  for (const size_t from : {100, 100'000, 1'000'000}) {
    for (const size_t to : {2 * from, 20 * from}) {
      Column<uint64_t> column;
      ASSERT_TRUE(column.Resize(from));
      for (size_t i = 0; i < from; ++i) column[i] = i + 1;
      ASSERT_TRUE(column.Reserve(to));
      ASSERT_TRUE(column.Resize(to));
      for (size_t i = 0; i < from; ++i) ASSERT_EQ(column[i], i + 1);
      for (size_t i = from; i < to; ++i) ASSERT_EQ(column[i], 0u);
    }
  }
}

TEST(ColumnTest, NewValuesAreZeroAlsoAfterShrinking) {
  Column<uint32_t> column;
  ASSERT_TRUE(column.Resize(100));
  for (size_t i = 0; i < 100; ++i) column[i] = 7;
  ASSERT_TRUE(column.Resize(10));
  ASSERT_TRUE(column.Resize(100));
  EXPECT_EQ(column[9], 7u);
  for (size_t i = 10; i < 100; ++i) EXPECT_EQ(column[i], 0u);
}

TEST(ColumnTest, RefusesWhatCannotBe) {
  Column<uint64_t> column;
  EXPECT_FALSE(column.Reserve(SIZE_MAX));
  EXPECT_FALSE(column.Reserve(SIZE_MAX / 8));
  EXPECT_FALSE(column.ReserveMore(SIZE_MAX));
  EXPECT_TRUE(column.empty());
}

TEST(ColumnTest, WhatIsBorrowedIsCopiedBeforeItGrows) {
  const std::vector<int> values = {1, 2, 3};
  Column<int> column = Column<int>::Borrow(values);
  EXPECT_EQ(column.data(), values.data());
  EXPECT_EQ(column.view()[2], 3);
  { const Column<int> moved = std::move(column); }
  column = Column<int>::Borrow(values);
  ASSERT_TRUE(column.Append(4));
  EXPECT_NE(column.data(), values.data());
  EXPECT_EQ(column.size(), 4u);
  EXPECT_EQ(column[2], 3);
  EXPECT_EQ(column[3], 4);
  Column<int> more = Column<int>::Borrow(values);
  ASSERT_TRUE(more.AppendAll(values));
  EXPECT_EQ(more[5], 3);
}

TEST(ColumnTest, MovesOwnership) {
  Column<int> a;
  ASSERT_TRUE(a.Append(5));
  Column<int> b = std::move(a);
  EXPECT_EQ(b[0], 5);
  EXPECT_TRUE(a.empty());
}

}  // namespace
}  // namespace stepscope
