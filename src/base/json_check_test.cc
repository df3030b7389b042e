// SPDX-License-Identifier: Apache-2.0
#include "base/json_check.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope {
namespace {

TEST(JsonCheck, TellsTheKind) {
  EXPECT_EQ(CheckJson(R"( {"a": [1, {"b": null}]} )"), JsonKind::kObject);
  EXPECT_EQ(CheckJson("[ ]"), JsonKind::kArray);
  EXPECT_EQ(CheckJson("{}"), JsonKind::kObject);
  EXPECT_EQ(CheckJson(R"("\u00e9\n\ud83d\ude00")"), JsonKind::kString);
  for (const char* number : {"0", "-0", "1.5", "-12e+3", "1E-2", "10"})
    EXPECT_EQ(CheckJson(number), JsonKind::kNumber) << number;
  for (const char* literal : {"true", "false", "null"})
    EXPECT_EQ(CheckJson(literal), JsonKind::kLiteral) << literal;
}

TEST(JsonCheck, RefusesWhatIsNotStrict) {
  for (const char* bad : {"",
                          " ",
                          "{",
                          "[",
                          "[1,]",
                          "[,1]",
                          "[1 2]",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\":1,}",
                          "{a:1}",
                          "{\"a\":1",
                          "[1]]",
                          "{}}",
                          "01",
                          "+1",
                          ".5",
                          "1.",
                          "1e",
                          "-",
                          "NaN",
                          "Infinity",
                          "nul",
                          "truex",
                          "'a'",
                          "\"a",
                          "\"\\x41\"",
                          "\"\\u12g4\"",
                          "\"\\ud800\"",
                          "\"\\ude00\"",
                          "\"\\ud800\\u0041\"",
                          "\"a\nb\"",
                          "\"\xff\"",
                          "\"\xed\xa0\x80\"",
                          "[1}",
                          "{\"a\":1]",
                          "1 2",
                          "// c\n1",
                          "\"\\",
                          "\"\\u12"})
    EXPECT_EQ(CheckJson(bad), JsonKind::kInvalid) << bad;
  EXPECT_EQ(CheckJson(std::string_view("1\0", 2)), JsonKind::kInvalid);
  EXPECT_EQ(CheckJson(std::string_view("\"\\\0\"", 4)), JsonKind::kInvalid);
}

TEST(JsonCheck, DepthIsBounded) {
  auto nested = [](int depth) {
    size_t n = static_cast<size_t>(depth);
    return std::string(n, '[') + std::string(n, ']');
  };
  EXPECT_EQ(CheckJson(nested(kMaxJsonDepth)), JsonKind::kArray);
  EXPECT_EQ(CheckJson(nested(kMaxJsonDepth + 1)), JsonKind::kInvalid);
  EXPECT_EQ(CheckJson(std::string(10000000, '[')), JsonKind::kInvalid);
}

TEST(JsonCheck, NumbersAreBounded) {
  EXPECT_EQ(CheckJson(std::string(kMaxJsonNumber, '7')), JsonKind::kNumber);
  EXPECT_EQ(CheckJson(std::string(kMaxJsonNumber + 1, '7')),
            JsonKind::kInvalid);
}

}  // namespace
}  // namespace stepscope
