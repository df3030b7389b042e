// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/json_text.h"

namespace stepscope {
namespace {

TEST(JsonWriterTest, WritesCommasAndEscapes) {
  JsonWriter json;
  json.BeginObject().Field("a", int64_t{-1}).Field("b", 0.5);
  json.Key("c").BeginArray().Null().Bool(true).BeginObject().EndObject();
  json.EndArray().Field("d", "q\"\\\n\xff").EndObject();
  EXPECT_EQ(json.Take(),
            "{\"a\":-1,\"b\":0.5,\"c\":[null,true,{}],"
            "\"d\":\"q\\\"\\\\\\n\xef\xbf\xbd\"}");
}

TEST(JsonTextTest, BytesThatAreNoUtf8CanBeKept) {
  std::string out;
  AppendJsonString(out, "a\xff\"", InvalidUtf8::kKeep);
  EXPECT_EQ(out, "\"a\xff\\\"\"");
  out.clear();
  EXPECT_FALSE(AppendJsonEscaped(out, "\xff"));
  EXPECT_TRUE(AppendJsonEscaped(out, "\u4f60"));
}

TEST(JsonWriterTest, NumbersThatJsonDoesNotHaveAreNull) {
  JsonWriter json;
  json.BeginArray().Number(NAN).Number(-INFINITY).EndArray();
  EXPECT_EQ(json.Take(), "[null,null]");
}

}  // namespace
}  // namespace stepscope
