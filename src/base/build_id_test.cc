// SPDX-License-Identifier: Apache-2.0
#include "base/build_id.h"

#include <gtest/gtest.h>

#include "base/byte_count.h"

namespace stepscope {
namespace {

TEST(BuildIdTest, ThereIsOneAndItStaysTheSame) {
  EXPECT_GE(BuildId().size(), 8u);
  EXPECT_EQ(BuildId(), BuildId());
  for (const char c : BuildId())
    EXPECT_NE(std::string("0123456789abcdef-.").find(c), std::string::npos);
}

TEST(ByteCountTest, AmountsAsPeopleWriteThem) {
  EXPECT_EQ(ParseByteCount("0"), 0u);
  EXPECT_EQ(ParseByteCount("1500"), 1500u);
  EXPECT_EQ(ParseByteCount("500M"), uint64_t{500} << 20);
  EXPECT_EQ(ParseByteCount("10G"), uint64_t{10} << 30);
  EXPECT_EQ(ParseByteCount("1.5GiB"), uint64_t{3} << 29);
  EXPECT_EQ(ParseByteCount("2TB"), uint64_t{2} << 40);
  EXPECT_EQ(ParseByteCount("8k"), 8192u);
  EXPECT_EQ(ParseByteCount("8B"), 8u);
  for (const char* const text :
       {"", "G", "-1", "1X", "1GG", "1 G", "1iB", "nan", "inf", "9999999999T"})
    EXPECT_EQ(ParseByteCount(text), std::nullopt) << text;
}

}  // namespace
}  // namespace stepscope
