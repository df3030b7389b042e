// SPDX-License-Identifier: Apache-2.0
#include "importers/nsys/nvtx_text.h"

#include <gtest/gtest.h>

namespace stepscope::nsys {
namespace {

TEST(NvtxTextTest, AnOperatorSaysWhichCallItIs) {
  const NvtxText text = ParseNvtxText(
      "aten::add, seq = 12, op_id = 34, sizes = [[2, 3], []], "
      "input_op_ids = [(3,0), (4,1)]");
  EXPECT_EQ(text.name, "aten::add");
  EXPECT_TRUE(text.of_operator);
  EXPECT_EQ(text.sequence, 12);
  EXPECT_EQ(text.op_id, 34);
  EXPECT_EQ(text.sizes, "[[2, 3], []]");
  EXPECT_EQ(text.input_op_ids, "[(3,0), (4,1)]");
}

TEST(NvtxTextTest, PartsMayBeMissing) {
  EXPECT_EQ(ParseNvtxText("aten::mm, op_id = 7").name, "aten::mm");
  EXPECT_EQ(ParseNvtxText("aten::mm, op_id = 7").op_id, 7);
  EXPECT_FALSE(ParseNvtxText("aten::mm, op_id = 7").sequence);
  EXPECT_EQ(ParseNvtxText("AddBackward0, seq = 3").sequence, 3);
  EXPECT_EQ(ParseNvtxText("aten::mm, sizes = [[1]]").sizes, "[[1]]");
}

// A program may call its own ranges anything: nothing of it may be lost.
TEST(NvtxTextTest, OtherTextsAreNames) {
  for (const std::string_view text :
       {"", "step", "a, seq = ", "a, seq = x", "a, seq = 1 of 2", ", seq = 1",
        "a, sizes = [[1]", "a, sizes = [[1]]]", "a, sizes = [[(1)]]",
        "a, sizes = [\"\"]", "a, sizes = 1", "a, op_id = 1, seq = 2",
        "a, seq = 99999999999999999999"}) {
    const NvtxText read = ParseNvtxText(text);
    EXPECT_EQ(read.name, text);
    EXPECT_FALSE(read.of_operator) << text;
  }
}

}  // namespace
}  // namespace stepscope::nsys
