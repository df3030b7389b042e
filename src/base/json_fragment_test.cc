// SPDX-License-Identifier: Apache-2.0
#include "base/json_fragment.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope {
namespace {

std::string Members(std::string_view text, size_t most = 99) {
  std::string out;
  ForEachJsonMember(text, [&](std::string_view key, std::string_view value) {
    out += std::string(key) + "=" + std::string(value) + ";";
    return --most > 0;
  });
  return out;
}

TEST(JsonFragmentTest, MembersAsTheyAreWritten) {
  EXPECT_EQ(Members(""), "");
  EXPECT_EQ(Members("\"a\":1"), "a=1;");
  EXPECT_EQ(Members(" \"a\" : [1, {\"x\": \",}\"}] , \"b\\\"c\":\"d\\\\\" "),
            "a=[1, {\"x\": \",}\"}];b\\\"c=\"d\\\\\";");
  EXPECT_EQ(Members("\"a\":null,\"a\":true"), "a=null;a=true;");
  EXPECT_EQ(Members("\"a\":1,\"b\":2,\"c\":3", 2), "a=1;b=2;");
}

std::string Items(std::string_view text) {
  std::string out;
  ForEachJsonItem(
      text, [&](std::string_view item) { out += std::string(item) + ";"; });
  return out;
}

TEST(JsonFragmentTest, ItemsAsTheyAreWritten) {
  EXPECT_EQ(Items(""), "");
  EXPECT_EQ(Items("[]"), "");
  EXPECT_EQ(Items("{\"a\": 1}"), "");
  EXPECT_EQ(Items("[1 , [2, 3],{\"x\": \",}]\"}, \"]\"]"),
            "1;[2, 3];{\"x\": \",}]\"};\"]\";");
  EXPECT_EQ(Items("[1}, 2"), "1;");
}

// Nothing is read beyond the text, whatever it is and wherever it is cut.
TEST(JsonFragmentTest, AnyTextHasAnEnd) {
  const std::string text =
      " \"a\\\"\" : [1, {\"x\": \",}\"}] , \"b\":\"d\\\\\", \"c\": tru";
  for (size_t size = 0; size <= text.size(); ++size) {
    const std::string part = text.substr(0, size);
    const std::string_view view(part.data(), part.size());
    ForEachJsonMember(view, [&](std::string_view key, std::string_view value) {
      EXPECT_LE(key.size() + value.size(), size);
      return true;
    });
    ForEachJsonItem("[" + part, [&](std::string_view item) {
      EXPECT_LE(item.size(), size);
    });
    for (size_t at = 0; at < size; ++at) {
      EXPECT_LE(EndOfJsonString(view, at), size);
      EXPECT_LE(EndOfJsonValue(view, at), size);
    }
    JsonCursor cursor(view);
    while (!cursor.at_end() &&
           (cursor.TakeString() || !cursor.TakeScalar().empty() ||
            cursor.Take(':') || cursor.Take(',') || cursor.Take('[') ||
            cursor.Take(']') || cursor.Take('}'))) {
    }
  }
}

TEST(JsonFragmentTest, CursorTakesTokens) {
  JsonCursor cursor(" [ 12 , \"a\\\"b\", null] ");
  EXPECT_FALSE(cursor.Take('{'));
  EXPECT_TRUE(cursor.Take('['));
  EXPECT_EQ(cursor.TakeScalar(), "12");
  EXPECT_TRUE(cursor.Take(','));
  EXPECT_EQ(cursor.TakeString(), "a\\\"b");
  EXPECT_TRUE(cursor.Take(','));
  EXPECT_EQ(cursor.TakeString(), std::nullopt);
  EXPECT_EQ(cursor.TakeScalar(), "null");
  EXPECT_EQ(cursor.TakeScalar(), "");
  EXPECT_FALSE(cursor.at_end());
  EXPECT_TRUE(cursor.Take(']'));
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(JsonCursor("\"no end").TakeString(), std::nullopt);
  EXPECT_EQ(JsonCursor("\"no end\\").TakeString(), std::nullopt);
}

}  // namespace
}  // namespace stepscope
