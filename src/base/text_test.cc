// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace stepscope {
namespace {

TEST(FormatTest, AnyLength) {
  EXPECT_EQ(Format("%d of %s", 3, "four"), "3 of four");
  EXPECT_EQ(Format("%s", ""), "");
  EXPECT_EQ(Format("%5000d", 1).size(), 5000u);
}

TEST(CountTextTest, LargeCountsAreReadable) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1000), "1,000");
  EXPECT_EQ(CountText(1234567), "1,234,567");
  EXPECT_EQ(CountText(-999), "-999");
  EXPECT_EQ(CountText(-123456), "-123,456");
  EXPECT_EQ(CountText(INT64_MIN), "-9,223,372,036,854,775,808");
  EXPECT_EQ(CountText(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(CountTextTest, OneAndMany) {
  EXPECT_EQ(CountText(0, "call"), "0 calls");
  EXPECT_EQ(CountText(1, "call"), "1 call");
  EXPECT_EQ(CountText(1000, "call"), "1,000 calls");
  EXPECT_EQ(CountText(1, "event was", "events were"), "1 event was");
  EXPECT_EQ(CountText(2, "event was", "events were"), "2 events were");
}

TEST(BytesTextTest, UnitsChangeWhereTheFigureWouldRoundUp) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(-1536), "-1.50 KiB");
  EXPECT_EQ(BytesText((1 << 20) - 1), "1.00 MiB");
  EXPECT_EQ(BytesText(int64_t{80} << 30, "_"), "80.0_GiB");
  EXPECT_EQ(BytesText(INT64_MAX), "8192.0 PiB");
}

TEST(NaturallyBeforeTest, NumbersCountByValue) {
  const std::string_view sorted[] = {"",        "7",
                                     "07.json", "9",
                                     "10",      "rank2.json",
                                     "rank10",  "rank10.json",
                                     "rank10a", "rank99999999999999999999999",
                                     "rankx"};
  for (const std::string_view& a : sorted)
    for (const std::string_view& b : sorted)
      EXPECT_EQ(NaturallyBefore(a, b), &a < &b) << a << " and " << b;
  EXPECT_TRUE(NaturallyBefore("a01", "a1"));
  EXPECT_FALSE(NaturallyBefore("a1", "a01"));
}

}  // namespace
}  // namespace stepscope
