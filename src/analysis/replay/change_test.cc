// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/change.h"

#include <gtest/gtest.h>

#include "base/glob.h"

namespace stepscope {
namespace {

TEST(ChangeTest, Forms) {
  EXPECT_EQ(ParseChange("data_ready")->kind, Change::Kind::kDataReady);
  EXPECT_EQ(ParseChange("graph")->kind, Change::Kind::kGraph);
  EXPECT_EQ(ParseChange("no_comm")->factor, 0.0);
  EXPECT_EQ(ParseChange("comm=0.5")->factor, 0.5);
  EXPECT_EQ(ParseChange("host=2")->factor, 2.0);
  EXPECT_EQ(ParseChange("tensor_cores")->factor, std::nullopt);
  EXPECT_EQ(ParseChange("tensor_cores=0.2")->factor, 0.2);
  EXPECT_EQ(ParseChange("fuse_small")->pattern, "");
  EXPECT_EQ(ParseChange("fuse_small:Adam*")->pattern, "Adam*");
}

TEST(ChangeTest, TheLastEqualsSignSplits) {
  const Result<Change> change = ParseChange("kernel:f<x=1, y=2>=0.25");
  ASSERT_TRUE(change);
  EXPECT_EQ(change->pattern, "f<x=1, y=2>");
  EXPECT_EQ(change->factor, 0.25);
  EXPECT_EQ(ParseChange("op:aten::mm=0")->pattern, "aten::mm");
  EXPECT_EQ(ParseChange("self:aten::mm=0.5")->kind, Change::Kind::kSelf);
}

TEST(ChangeTest, WrongOnesSayWhy) {
  for (const char* text : {"",
                           "faster",
                           "host",
                           "comm",
                           "kernel:x",
                           "op:x",
                           "self:x",
                           "kernel:=0.5",
                           "op:=1",
                           "fuse_small:",
                           "graph=0.5",
                           "data_ready=1",
                           "no_sync=0",
                           "host=",
                           "host=-1",
                           "host=inf",
                           "host=nan",
                           "host=half",
                           "host=0.5x",
                           "fuse_small:x=0.5",
                           "no_comm=0.5",
                           "comm=1e999"}) {
    const Result<Change> change = ParseChange(text);
    ASSERT_FALSE(change) << text;
    EXPECT_NE(change.error().message.find(text), std::string::npos);
  }
}

TEST(GlobTest, Matches) {
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_TRUE(MatchesGlob("a*c", "abbc"));
  EXPECT_TRUE(MatchesGlob("*gemm*", "ampere_sgemm_128"));
  EXPECT_TRUE(MatchesGlob("a?c", "abc"));
  EXPECT_TRUE(MatchesGlob("*a*b", "xaxbab"));
  EXPECT_FALSE(MatchesGlob("a?c", "ac"));
  EXPECT_FALSE(MatchesGlob("gemm", "sgemm"));
  EXPECT_FALSE(MatchesGlob("*x", "xy"));
}

}  // namespace
}  // namespace stepscope
