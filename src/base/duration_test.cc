// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(DurationTest, NumberAndUnit) {
  const auto parse = [](std::string_view text) {
    const Result<int64_t> ns = ParseDuration(text);
    return ns ? *ns : -1;
  };
  EXPECT_EQ(parse("14.9ms"), 14'900'000);
  EXPECT_EQ(parse("2s"), 2'000'000'000);
  EXPECT_EQ(parse("800us"), 800'000);
  EXPECT_EQ(parse("800\xc2\xb5s"), 800'000);
  EXPECT_EQ(parse("1e6ns"), 1'000'000);
  EXPECT_EQ(parse("0.5 ms"), 500'000);
  EXPECT_EQ(parse("1ns"), 1);
}

TEST(DurationTest, RefusesTheRest) {
  for (const char* text :
       {"", "14.9", "0ms", "-3ms", "+3ms", "nanms", "infs", "ms", "3 min",
        "3msx", "x3ms", "3  ms", "1e300s", "0.1ns", "1e-400s", "3MS"}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
  EXPECT_EQ(ParseDuration("14.9").error().message,
            "\"14.9\" is no duration; write a number above 0 and a unit: "
            "14.9ms, 2s, 800us or 1e6ns");
}

}  // namespace
}  // namespace stepscope
