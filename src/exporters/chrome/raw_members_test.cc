// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/raw_members.h"

#include <gtest/gtest.h>

#include "exporters/chrome/chrome.h"
#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::chrome {
namespace {

std::string Members(std::string_view text) {
  std::string out;
  const bool valid =
      ForEachMember(text, [&](std::string_view key, std::string_view value) {
        out += std::string(key) + "=" + std::string(value) + ";";
      });
  return valid ? out : "invalid";
}

TEST(RawMembers, AreTakenApart) {
  EXPECT_EQ(Members(""), "");
  EXPECT_EQ(Members("\"a\":1"), "a=1;");
  EXPECT_EQ(Members(" \"a\" : [1, {\"x\": \",}\"}] , \"b\\\"c\":\"d\\\\\" "),
            "a=[1, {\"x\": \",}\"}];b\\\"c=\"d\\\\\";");
  EXPECT_EQ(Members("\"a\":null,\"a\":true"), "a=null;a=true;");
}

TEST(RawMembers, OfNoObject) {
  for (const char* text : {"\"a\":", "a:1", "\"a\":1}", "\"a\":1,", "{", "\""})
    EXPECT_EQ(Members(text), "invalid") << text;
}

TEST(RawMembers, ReachTheFile) {
  TraceBuilder builder;
  BuildFromText("thread 7 m\n 0..5 a x=1\n 6..7 b\n", builder);
  builder.AddRawArgs(0, "\"x\": 2, \"Call stack\": \"f;g\"");
  builder.AddRawArgs(1, "broken");
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace);
  const std::string json = ChromeJson(**trace);
  EXPECT_NE(json.find(R"x("x":1,"x (2)":2,"Call stack":"f;g"}})x"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"x("raw_args":"broken"}})x"), std::string::npos);
}

}  // namespace
}  // namespace stepscope::chrome
