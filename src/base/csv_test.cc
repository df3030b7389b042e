// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(CsvTest, TextThatBeginsLikeAFormulaIsGuarded) {
  EXPECT_EQ(CsvText("=1+1"), "'=1+1");
  EXPECT_EQ(CsvText("+1"), "'+1");
  EXPECT_EQ(CsvText("-1"), "'-1");
  EXPECT_EQ(CsvText("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(CsvText("\t=1"), "'\t=1");
  EXPECT_EQ(CsvText("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(CsvText("=HYPERLINK(\"a\",\"b\")"),
            "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\"");
  EXPECT_EQ(CsvQuotedText("=1"), "\"'=1\"");
}

TEST(CsvTest, OtherTextIsAsItIs) {
  EXPECT_EQ(CsvText(""), "");
  EXPECT_EQ(CsvText("a=b-c"), "a=b-c");
  EXPECT_EQ(CsvText("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
  EXPECT_EQ(CsvQuotedText("12"), "\"12\"");
}

TEST(CsvTest, NumbersStayNumbers) {
  EXPECT_EQ(CsvValue("-1.5"), "-1.5");
  EXPECT_EQ(CsvValue("[1,2]"), "\"[1,2]\"");
}

}  // namespace
}  // namespace stepscope
