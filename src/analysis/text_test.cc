// SPDX-License-Identifier: Apache-2.0
//
// Names, numbers and JSON as they are printed.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/cells.h"
#include "analysis/json_writer.h"
#include "analysis/name_class.h"
#include "analysis/stats.h"
#include "analysis/table_options.h"
#include "analysis/visible_text.h"

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

TEST(CellsTest, ArgumentsAfterATemplateListAreLeftOut) {
  EXPECT_EQ(WithoutArguments("void f<int, (A)2>(int*)"), "void f<int, (A)2>");
  EXPECT_EQ(WithoutArguments("nccl_sum(ncclColl)"), "nccl_sum(ncclColl)");
  EXPECT_EQ(WithoutArguments("f<g<int>(x)>(int)"), "f<g<int>(x)>");
  EXPECT_EQ(WithoutArguments("<lambda>(int)"), "<lambda>(int)");
  EXPECT_EQ(WithoutArguments("f<int>"), "f<int>");
  EXPECT_EQ(WithoutArguments("f<int>("), "f<int>(");
  EXPECT_EQ(WithoutArguments(""), "");
}

TEST(CellsTest, RoundsAsPrintfDoes) {
  const Cells ms(TimeUnit::kMs);
  EXPECT_EQ(ms.Time(15625000), "15.62");  // exact in binary: half to even
  EXPECT_EQ(Cells(TimeUnit::kNs).Time(10, 3), "3.33");
  EXPECT_EQ(Cells(TimeUnit::kS).Time(1500000000), "1.50");
  EXPECT_EQ(ms.Time(5, 0), "0.00");
  EXPECT_EQ(Cells::Percent(0.15625), "15.62");
}

TEST(StatsTest, AveragesAreRoundedHalfToEven) {
  EXPECT_EQ(AverageNs(5, 2), 2);
  EXPECT_EQ(AverageNs(7, 2), 4);
  EXPECT_EQ(AverageNs(8, 3), 3);
  EXPECT_EQ(AverageNs(-5, 2), -2);
  EXPECT_EQ(AverageNs(-7, 2), -4);
  EXPECT_EQ(AverageNs(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(AverageNs(9, 0), 0);
}

TEST(OptionsTest, TakesEnumNamesAndJsonKeysInAnyCase) {
  EXPECT_EQ(ParseSortKey("CPUTotal"), SortKey::kCpuTotal);
  EXPECT_EQ(ParseSortKey("gpu_avg"), SortKey::kGpuAvg);
  EXPECT_EQ(ParseSortKey("gpu.max_ns"), SortKey::kGpuMax);
  EXPECT_EQ(ParseSortKey("total"), std::nullopt);
  EXPECT_EQ(ParseView("UDFView"), kUserDefinedView);
  EXPECT_EQ(ParseView("OverView"), kOverView);
  EXPECT_EQ(ParseView("user_defined"), kUserDefinedView);
  EXPECT_EQ(ParseView("MEMORY_MANIPULATION"), kMemoryManipulationView);
  EXPECT_EQ(ParseView("nonsense"), std::nullopt);
  EXPECT_EQ(ParseTimeUnit("us"), TimeUnit::kUs);
  EXPECT_EQ(ParseTimeUnit("min"), std::nullopt);
}

TEST(NameClassTest, CollectivesAreKnownAndLookAlikesAreNot) {
  for (const char* name :
       {"c_allreduce_sum", "c_broadcast", "c10d::allreduce_", "nccl:all_reduce",
        "gloo:all_gather", "c_reducescatter", "all_to_all", "rpc_send",
        "record_param_comms", "nccl:send", "send_v2", "broadcast"}) {
    EXPECT_TRUE(IsCollectiveEvent(name)) << name;
  }
  for (const char* name :
       {"conv2d", "aten::broadcast_tensors", "broadcast_to", "interpolate",
        "aten::gather", "scatter", "reduce_sum", "aten::sum", ""}) {
    EXPECT_FALSE(IsCollectiveEvent(name)) << name;
  }
  EXPECT_TRUE(IsCollectiveKernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
  EXPECT_TRUE(IsCollectiveKernel("rcclKernel"));
  EXPECT_FALSE(IsCollectiveKernel("void reduce_kernel<512>(float*)"));
  EXPECT_FALSE(IsCollectiveKernel("vectorized_broadcast_kernel"));
  EXPECT_TRUE(IsMemoryManipulation("GpuMemcpyAsync:CPU->GPU"));
  EXPECT_TRUE(IsMemoryManipulation("BufferedReader:MemoryCopy"));
  EXPECT_FALSE(IsMemoryManipulation("MyRecord"));
}

TEST(JsonWriterTest, WritesCommasAndEscapes) {
  JsonWriter json;
  json.BeginObject().Field("a", int64_t{-1}).Field("b", 0.5);
  json.Key("c").BeginArray().Null().Bool(true).BeginObject().EndObject();
  json.EndArray().Field("d", "q\"\\\n\xff").EndObject();
  EXPECT_EQ(json.Take(),
            "{\"a\":-1,\"b\":0.5,\"c\":[null,true,{}],"
            "\"d\":\"q\\\"\\\\\\u000a\xef\xbf\xbd\"}");
}

TEST(JsonWriterTest, NumbersThatJsonDoesNotHaveAreNull) {
  JsonWriter json;
  json.BeginArray().Number(NAN).Number(-INFINITY).EndArray();
  EXPECT_EQ(json.Take(), "[null,null]");
}

}  // namespace
}  // namespace stepscope
