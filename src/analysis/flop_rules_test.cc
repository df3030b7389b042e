// SPDX-License-Identifier: Apache-2.0
#include "analysis/flop_rules.h"

#include <gtest/gtest.h>

#include "analysis/raw_member.h"
#include "analysis/summary.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

// FLOPs of one operator with torch's arguments, as a file has them.
std::optional<int64_t> OfTorch(const char* name, const std::string& members) {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t track = builder.AddTrack({});
  const Row row = builder.AddEvent({track, 0, 10, builder.Intern(name), 0, 0});
  builder.AddRawArgs(row, members);
  const auto trace = *builder.Finish();
  const FlopRule rule = FlopRuleOf(name);
  return CountFlops(rule, ShapesOf(*trace, 0, trace->raw_args(0)));
}

TEST(FlopRulesTest, MatrixProducts) {
  EXPECT_EQ(OfTorch("aten::mm", R"("Input Dims": [[2, 3], [3, 5]])"),
            2 * 2 * 3 * 5);
  EXPECT_EQ(OfTorch("aten::addmm", R"("Input Dims":[[5],[2,3],[3,5]])"),
            2 * 2 * 3 * 5);
  EXPECT_EQ(OfTorch("aten::bmm", R"("Input Dims": [[7,2,3],[7,3,5]])"),
            2 * 7 * 2 * 3 * 5);
  EXPECT_EQ(OfTorch("aten::matmul", R"("Input Dims": [[7,2,3],[3,5]])"),
            2 * 7 * 2 * 3 * 5);
  EXPECT_EQ(OfTorch("aten::matmul", R"("Input Dims": [[3],[3]])"), 2 * 3);
  EXPECT_EQ(OfTorch("aten::linear", R"("Input Dims": [[7,2,3],[5,3],[5]])"),
            2 * 7 * 2 * 3 * 5);
}

TEST(FlopRulesTest, ScaledGroupedAndCustomProducts) {
  EXPECT_EQ(
      OfTorch("aten::_scaled_mm", R"("Input Dims": [[2,3],[3,5],[],[],[]])"),
      2 * 2 * 3 * 5);
  // Seven rows, each with one of four matrices.
  EXPECT_EQ(
      OfTorch("aten::_grouped_mm", R"("Input Dims": [[7,3],[4,3,5],[4]])"),
      2 * 7 * 3 * 5);
  EXPECT_EQ(OfTorch("vllm::rocm_unquantized_gemm",
                    R"("Input Dims": [[32,2880],[201088,2880],[]])"),
            int64_t{2} * 32 * 2880 * 201088);
  EXPECT_EQ(OfTorch("_C::cutlass_scaled_mm", R"("Input Dims": [[2,3],[3,5]])"),
            2 * 2 * 3 * 5);
  // Not one product, not known, or not one of its own.
  EXPECT_EQ(OfTorch("vllm::moe_grouped_gemm", R"("Input Dims": [[2,3],[5,3]])"),
            std::nullopt);
  EXPECT_EQ(OfTorch("vllm::gemm", R"("Input Dims": [[2,3],[5,4]])"),
            std::nullopt);
  EXPECT_EQ(FlopRuleOf("aten::addcmul"), FlopRule::kNone);
  EXPECT_EQ(FlopRuleOf("mylib::comm"), FlopRule::kNone);
}

TEST(FlopRulesTest, FusedAndGroupedAttention) {
  const std::string dims =
      R"("Input Dims": [[2,8,16,4],[2,2,32,4],[2,2,32,6]])";
  const int64_t expected = int64_t{2} * 2 * 8 * 16 * 32 * (4 + 6);
  EXPECT_EQ(OfTorch("aten::_scaled_dot_product_flash_attention", dims),
            expected);
  EXPECT_EQ(OfTorch("aten::_flash_attention_forward",
                    R"("Input Dims": [[2,16,8,4],[2,32,2,4],[2,32,2,6]])"),
            expected);
  // Sequences of different lengths in one tensor: their lengths are no shape.
  EXPECT_EQ(OfTorch("aten::_flash_attention_forward",
                    R"("Input Dims": [[96,8,4],[96,2,4],[96,2,4]])"),
            std::nullopt);
}

TEST(FlopRulesTest, Convolutions) {
  // 3x3 over 8x8 with padding 1 and stride 2: 4x4 outputs.
  const std::string args =
      R"("Input Dims": [[2,3,8,8],[16,3,3,3],[16],[],[],[],[]],)"
      R"("Concrete Inputs": ["","","","[2, 2]","[1, 1]","[1, 1]","1"])";
  EXPECT_EQ(OfTorch("aten::conv2d", args), 2 * 2 * 16 * 4 * 4 * 3 * 9);
  const std::string cudnn =
      R"("Input Dims": [[2,3,8,8],[16,3,3,3]],)"
      R"("Concrete Inputs": ["","","[1, 1]","[2, 2]","[1, 1]","1"])";
  EXPECT_EQ(OfTorch("aten::cudnn_convolution", cudnn),
            2 * 2 * 16 * 4 * 4 * 3 * 9);
  const std::string backward =
      R"("Input Dims": [[2,16,4,4],[2,3,8,8],[16,3,3,3]],)"
      R"("Concrete Inputs": ["","","","[0]","[2, 2]","[1, 1]","[1, 1]",)"
      R"("False","[0, 0]","1","[False, True, False]"])";
  EXPECT_EQ(OfTorch("aten::convolution_backward", backward),
            2 * 2 * 16 * 4 * 4 * 3 * 9);
  // Without stride and padding there is no saying.
  EXPECT_EQ(OfTorch("aten::conv2d", R"("Input Dims": [[2,3,8,8],[16,3,3,3]])"),
            std::nullopt);
}

TEST(FlopRulesTest, Attention) {
  EXPECT_EQ(OfTorch("aten::scaled_dot_product_attention",
                    R"("Input Dims": [[2,4,8,16],[2,4,6,16],[2,4,6,16]])"),
            4 * 2 * 4 * 8 * 6 * 16);
}

TEST(FlopRulesTest, NoNumberRatherThanAWrongOne) {
  EXPECT_EQ(OfTorch("aten::mm", R"("Input Dims": [[2, 3], [4, 5]])"),
            std::nullopt);
  EXPECT_EQ(OfTorch("aten::mm", R"("Input Dims": [[0, 3], [3, 5]])"),
            std::nullopt);
  EXPECT_EQ(OfTorch("aten::mm", R"("Input Dims": [[9000000000, 9000000000],)"
                                R"([9000000000, 5]])"),
            std::nullopt);
  EXPECT_EQ(OfTorch("aten::mm", R"("Input Dims": [[2, 3)"), std::nullopt);
  EXPECT_EQ(OfTorch("aten::mm", R"("Input Dims": [])"), std::nullopt);
  EXPECT_EQ(OfTorch("aten::relu", R"("Input Dims": [[2, 3]])"), std::nullopt);
}

TEST(FlopRulesTest, PaddlesParameters) {
  EXPECT_EQ(
      OfTorch("matmul_v2", R"("input_shapes": {"X": [[2,3]], "Y": [[3,5]]})"),
      2 * 2 * 3 * 5);
}

TEST(FlopRulesTest, SelfNestedOperatorsCountOnce) {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t track = builder.AddTrack({});
  const StringId name = builder.Intern("aten::mm");
  for (const int64_t start : {0, 2}) {
    const Row row =
        builder.AddEvent({track, start, 10 - 2 * start, name, 0, 0});
    builder.AddRawArgs(row, R"("Input Dims": [[2, 3], [3, 5]])");
  }
  const auto trace = *builder.Finish();
  const EventTree tree(*trace);
  const FlopsTable table = ComputeFlops(tree, StepTable(tree));
  ASSERT_EQ(table.rows.size(), 1u);
  // Nobody says how large an element is.
  EXPECT_FALSE(table.rows[0].estimated_bytes());
  EXPECT_EQ(table.rows[0].calls, 1u);
  EXPECT_EQ(table.rows[0].counted_calls, 1u);
  EXPECT_EQ(table.rows[0].flops, 60);
  EXPECT_EQ(table.rows[0].time_ns(), 10);
  EXPECT_EQ(table.total_flops, 60);
}

TEST(RawMemberTest, FindsMembersAndNothingElse) {
  const std::string_view raw =
      R"("stack": "say \"b\": 1", "a" : [1, {"b": 2}], "b": 3 , "c":"x,y")";
  EXPECT_EQ(RawMember(raw, "a"), R"([1, {"b": 2}])");
  EXPECT_EQ(RawMember(raw, "b"), "3");
  EXPECT_EQ(RawMember(raw, "c"), R"("x,y")");
  EXPECT_EQ(RawMember(raw, "d"), "");
  for (size_t i = 0; i < raw.size(); ++i) {
    RawMember(raw.substr(0, i), "c");  // never beyond the end
  }
}

}  // namespace
}  // namespace stepscope
