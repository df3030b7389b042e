// SPDX-License-Identifier: Apache-2.0
#include "report/otlp/trace_parent.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::otlp {
namespace {

constexpr const char* kParent =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceParentTest, ReadsWhatCallersSend) {
  const auto parent = ParseTraceParent(kParent);
  ASSERT_TRUE(parent);
  EXPECT_EQ(parent->trace[0], 0x4b);
  EXPECT_EQ(parent->trace[15], 0x36);
  EXPECT_EQ(parent->span[1], 0xf0);
  EXPECT_EQ(parent->span[7], 0xb7);
  EXPECT_EQ(parent->flags, 1);
}

TEST(TraceParentTest, TakesWhatLaterVersionsHaveInCommon) {
  std::string later = kParent;
  later[1] = '1';
  EXPECT_TRUE(ParseTraceParent(later));
  EXPECT_TRUE(ParseTraceParent(later + "-what comes"));
  EXPECT_FALSE(ParseTraceParent(later + "what comes"));
  later[0] = later[1] = 'f';
  EXPECT_FALSE(ParseTraceParent(later));
}

TEST(TraceParentTest, RefusesEverythingElse) {
  const std::string good = kParent;
  for (const std::string& bad :
       {std::string(), std::string("00"), good.substr(0, 54), good + "-",
        good + "0",
        std::string("00-00000000000000000000000000000000-00f067aa0ba902b7-01"),
        std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01")})
    EXPECT_FALSE(ParseTraceParent(bad)) << bad;
  // Every byte matters: none of these is a digit of lower case or a dash.
  for (size_t i = 0; i < good.size(); ++i) {
    for (const char c : {'A', 'g', ' ', '\0', '\xff'}) {
      std::string bad = good;
      bad[i] = c;
      EXPECT_FALSE(ParseTraceParent(bad)) << i;
    }
  }
}

}  // namespace
}  // namespace stepscope::otlp
