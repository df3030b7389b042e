// SPDX-License-Identifier: Apache-2.0
#include "base/visible_text.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(VisibleTextTest, NothingMovesTheCursor) {
  EXPECT_EQ(VisibleText("conv2d"), "conv2d");
  EXPECT_EQ(VisibleText("a\x1b[31m\n\t\x7f"), "a\\x1b[31m\\n\\t\\x7f");
  EXPECT_EQ(VisibleText(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(VisibleText("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(VisibleText("\xe2\x80\xae"), "\\u202e");  // right-to-left override
  EXPECT_EQ(VisibleText("\xc2\x9b"), "\\u009b");      // C1 control
  EXPECT_EQ(VisibleText("卷积"), "卷积");
  EXPECT_EQ(VisibleText("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(VisibleText("\xc0\xaf"), "\\xc0\\xaf");           // overlong
}

TEST(VisibleTextTest, WidthIsThatOfTheTerminal) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("卷积"), 4u);
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1u);
}

TEST(VisibleTextTest, ShortenCutsBetweenCharacters) {
  EXPECT_EQ(Shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(Shorten("abcdefg", 6), "abc...");
  EXPECT_EQ(Shorten("卷积卷积卷", 4), "卷...");
  EXPECT_EQ(Shorten("", 6), "");
}

}  // namespace
}  // namespace stepscope
