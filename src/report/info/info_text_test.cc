// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "report/info/info.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::string InfoOf(std::string_view text) {
  TraceInfo info;
  info.trace = TraceFromText(text);
  return InfoText(info);
}

// XPlane files number their threads by hashes.
TEST(InfoTextTest, AnIdOfAnyLengthIsApartFromTheNumberOfEvents) {
  const std::string text = InfoOf(
      "thread -6283613203541209901 python\n0..9 a\nthread 7 pool\n0..9 b\n");
  EXPECT_NE(text.find("  -6283613203541209901  1 "), text.npos) << text;
  EXPECT_NE(text.find("  7                     1 "), text.npos) << text;
  EXPECT_NE(text.find("  thread                events "), text.npos) << text;
  EXPECT_NE(InfoOf("thread 7\n0..9 b\n").find("  7           1 "), text.npos);
}

}  // namespace
}  // namespace stepscope
