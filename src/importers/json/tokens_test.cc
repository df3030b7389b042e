// SPDX-License-Identifier: Apache-2.0
#include "importers/json/tokens.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "importers/json/json_string.h"

namespace stepscope::json {
namespace {

// What OutsideOfStrings says, in the plainest words.
size_t Slowly(std::string_view text) {
  bool quoted = false;
  size_t quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
      quote = i;
    }
  }
  return quoted ? quote : text.size();
}

TEST(TokensTest, StringsAreToldAtEveryOffset) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 300, ' ');
    for (char& c : text) c = "\"\\ab{},:"[random() % 8 * (random() % 3 == 0)];
    ASSERT_EQ(OutsideOfStrings(text), Slowly(text)) << text;
  }
}

// What we count on in simdjson's first stage, which it promises nobody: one
// index for each bracket, colon, comma, first quote of a string and first byte
// of a number or literal, in order, across the blocks of 64 bytes in which it
// works, and nothing for what a string holds.
TEST(TokensTest, TheFirstStageFindsWhatWeCountOn) {
  for (size_t shift = 0; shift < 130; ++shift) {
    const std::string text =
        std::string(shift, ' ') +
        R"({"k\\":[true,null,-1.5e3],"{[:,":"a\"]b","":{}} )";
    TokenIndex index;
    ASSERT_TRUE(index.Find(text));
    ASSERT_EQ(index.size(), text.size());
    const Tokens tokens = index.tokens();
    std::string kinds;
    for (size_t i = 0; i < tokens.count(); ++i) {
      kinds += tokens.kind(i);
      EXPECT_EQ(text[tokens.offset(i)], tokens.kind(i)) << shift;
      if (i > 0) {
        EXPECT_GT(tokens.offset(i), tokens.offset(i - 1)) << shift;
      }
    }
    EXPECT_EQ(kinds, R"({":[t,n,-],":",":{}})") << shift;
  }
}

TEST(TokensTest, TokensOfAPiece) {
  TokenIndex index;
  const std::string text = R"({"a" : [1, {"b":"x\"y"}], "c":-2.5 }, {"d)";
  ASSERT_TRUE(index.Find(text));
  EXPECT_EQ(index.size(), text.size() - 2);
  const Tokens tokens = index.tokens();
  Members members(tokens, 0);
  ASSERT_EQ(members.Next(), Members::State::kMember);
  EXPECT_EQ(tokens.Text(members.key()), "a");
  ASSERT_TRUE(members.SkipValue());
  ASSERT_EQ(members.Next(), Members::State::kMember);
  EXPECT_EQ(tokens.Text(members.key()), "c");
  EXPECT_EQ(tokens.Scalar(members.value()), "-2.5");
  ASSERT_TRUE(members.SkipValue());
  EXPECT_EQ(members.Next(), Members::State::kEnd);
  EXPECT_EQ(tokens.kind(members.next()), ',');
}

TEST(TokensTest, TextThatGoesOnIsReadByLines) {
  TokenIndex index;
  const std::string text = "[{\"a\": 1},\n {\"b\": 12";
  ASSERT_TRUE(index.Find(text, true));
  EXPECT_EQ(index.size(), text.find('\n') + 1);
  EXPECT_EQ(index.tokens().count(), 7u);
  ASSERT_TRUE(index.Find(text));
  EXPECT_EQ(index.size(), text.size());
  // A line that ends within a string: not JSON, but to be read around.
  const std::string odd = "[{\"a\": 1}, {\"b\": \"x\ny\"}, {\"c";
  ASSERT_TRUE(index.Find(odd, true));
  EXPECT_EQ(index.size(), odd.size() - 2);
  EXPECT_TRUE(index.has_wrong_bytes());
}

TEST(TokensTest, WrongBytesAreReadAroundAndSaid) {
  TokenIndex index;
  const std::string text = "{\"a\": \"\xff\x01z\", \"b\": 1}";
  ASSERT_TRUE(index.Find(text));
  EXPECT_TRUE(index.has_wrong_bytes());
  const Tokens tokens = index.tokens();
  Members members(tokens, 0);
  ASSERT_EQ(members.Next(), Members::State::kMember);
  EXPECT_EQ(tokens.Text(members.value()), "\xff\x01z");
  ASSERT_TRUE(index.Find("{}"));
  EXPECT_FALSE(index.has_wrong_bytes());
}

TEST(TokensTest, StatesOfMembers) {
  using State = Members::State;
  const auto end = [](const std::string& text) {
    TokenIndex index;
    EXPECT_TRUE(index.Find(text));
    const Tokens tokens = index.tokens();
    Members members(tokens, 0);
    State state;
    while ((state = members.Next()) == State::kMember)
      if (!members.SkipValue()) return State::kCut;
    return state;
  };
  EXPECT_EQ(end("{}"), State::kEnd);
  EXPECT_EQ(end("{\"a\":1,}"), State::kEnd);  // a comma too many
  for (const char* text : {"{", "{\"a\"", "{\"a\":", "{\"a\":[", "{\"a\":1,"})
    EXPECT_EQ(end(text), State::kCut) << text;
  for (const char* text : {"{1:2}", "{\"a\" 1}", "{\"a\":}", "{\"a\":1 2}",
                           "{\"a\":,}", "{\"a\"\"b\":1}"})
    EXPECT_EQ(end(text), State::kBad) << text;
}

TEST(JsonStringTest, Escapes) {
  const auto meaning = [](std::string_view raw) {
    std::string out;
    Unescape(raw, out);
    return out;
  };
  EXPECT_EQ(meaning(R"(a\"b\\c\/d\b\f\n\r\t)"), "a\"b\\c/d\b\f\n\r\t");
  EXPECT_EQ(meaning(R"(\u00e9\u4E2D\ud83d\ude00)"), "\u00e9\u4e2d\U0001f600");
  EXPECT_EQ(meaning(R"(\ud83d!)"), "\ufffd!");
  EXPECT_EQ(meaning(R"(\q\u12)"), "\\q\\u12");
  EXPECT_EQ(meaning("end\\"), "end\\");
}

TEST(JsonStringTest, WhatJsonForbids) {
  EXPECT_EQ(WrongBytes("{\"a\":\n\t\"\\n\"}"), "");
  EXPECT_EQ(WrongBytes("{\"a\":\"\xc3\xa9\"}"), "");
  EXPECT_EQ(WrongBytes("{\"a\":\"\xc3\"}"), "bytes are not UTF-8");
  EXPECT_EQ(WrongBytes("{\"a\":\"\n\"}"), "raw control character in a string");
}

}  // namespace
}  // namespace stepscope::json
