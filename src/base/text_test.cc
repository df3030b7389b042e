// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(FormatTest, AnyLength) {
  EXPECT_EQ(Format("%d of %s", 3, "four"), "3 of four");
  EXPECT_EQ(Format("%s", ""), "");
  EXPECT_EQ(Format("%5000d", 1).size(), 5000u);
}

TEST(NaturallyBeforeTest, NumbersCountByValue) {
  const std::string_view sorted[] = {
      "",       "7",       "07.json", "9",    "10", "rank2.json", "rank10",
      "rank10.json", "rank10a", "rank99999999999999999999999", "rankx"};
  for (const std::string_view& a : sorted)
    for (const std::string_view& b : sorted)
      EXPECT_EQ(NaturallyBefore(a, b), &a < &b) << a << " and " << b;
  EXPECT_TRUE(NaturallyBefore("a01", "a1"));
  EXPECT_FALSE(NaturallyBefore("a1", "a01"));
}

}  // namespace
}  // namespace stepscope
