// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/args.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <limits>
#include <span>
#include <string>

#include "base/json_check.h"
#include "exporters/chrome/chrome.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

// One event, to which the test adds arguments; then what follows its times.
class ArgsTest : public testing::Test {
 protected:
  ArgsTest() {
    builder_.AddProcess(
        {.pid = 1, .name = {}, .host = {}, .source = {}, .metadata = {}});
    builder_.AddTrack({.id = 7, .name = {}, .device_type = {}});
  }

  Row Event(uint16_t type = STEPSCOPE_USER_DEFINED,
            std::string_view name = "e") {
    return builder_.AddEvent({0, 0, 0, builder_.Intern(name), type, 0});
  }

  void AddText(Row row, std::string_view key, std::string_view text,
               ArgKind kind, bool clipped = false) {
    Arg arg;
    arg.row = row;
    arg.key = builder_.Intern(key);
    arg.kind = kind;
    arg.clipped = clipped;
    arg.text = builder_.Intern(text);
    builder_.AddArg(arg);
  }

  void AddList(Row row, std::string_view key, std::span<const int64_t> values) {
    Arg arg;
    arg.row = row;
    arg.key = builder_.Intern(key);
    builder_.AddListArg(arg, values);
  }

  std::string Finish() {
    auto trace = builder_.Finish();
    EXPECT_TRUE(trace);
    std::string json = ChromeJson(**trace);
    EXPECT_EQ(CheckJson(json), JsonKind::kObject) << json;
    constexpr std::string_view kBefore = "\"end_time\":\"0.000 us\"";
    size_t begin = json.find(kBefore) + kBefore.size();
    return json.substr(begin, json.find("}},\n", begin) - begin);
  }

  TraceBuilder builder_;
};

TEST_F(ArgsTest, EveryKind) {
  Row row = Event();
  builder_.AddInt(row, "int", std::numeric_limits<int64_t>::min());
  builder_.AddDouble(row, "double", 2);
  builder_.AddDouble(row, "nan", std::numeric_limits<double>::quiet_NaN());
  builder_.AddText(row, "text", "a\"b");
  const int64_t shape[] = {32, -1};
  AddList(row, "list", shape);
  AddText(row, "json", R"x({"a": [1]})x", ArgKind::kJson);
  EXPECT_EQ(Finish(), R"x(,"int":-9223372036854775808,"double":2.0,)x"
                      R"x("nan":"NaN","text":"a\"b","list":[32,-1],)x"
                      R"x("json":{"a": [1]})x");
}

TEST_F(ArgsTest, BrokenJsonIsText) {
  Row row = Event();
  AddText(row, "a", "{\"x\":", ArgKind::kJson);
  AddText(row, "b", "\"\xff\"", ArgKind::kJson);
  EXPECT_EQ(Finish(),
            ",\"a\":\"{\\\"x\\\":\",\"b\":\"\\\"\ufffd\\\"\","
            "\"b.bytes\":\"22ff22\"");
}

TEST_F(ArgsTest, RepeatedAndReservedKeysAreKept) {
  Row row = Event();
  builder_.AddInt(row, "start_time", 1);
  builder_.AddInt(row, "a", 2);
  builder_.AddInt(row, "a", 3);
  EXPECT_EQ(Finish(), R"x(,"start_time (2)":1,"a":2,"a (2)":3)x");
}

TEST_F(ArgsTest, BytesThatAreNoTextAreKept) {
  Row row = Event(STEPSCOPE_USER_DEFINED, "n\xff");
  builder_.AddText(row, "k\xfe", "v\xfd");
  EXPECT_EQ(Finish(),
            ",\"name_bytes\":\"6eff\",\"k\ufffd\":\"v\ufffd\","
            "\"k\ufffd.key_bytes\":\"6bfe\","
            "\"k\ufffd.bytes\":\"76fd\"");
}

TEST_F(ArgsTest, ClippedIsSaid) {
  AddText(Event(), "a", "x", ArgKind::kText, true);
  EXPECT_EQ(Finish(), R"x(,"clipped_args":["a"],"a":"x")x");
}

TEST_F(ArgsTest, OperatorsCarryPaddlesShapes) {
  Row row = Event(STEPSCOPE_OPERATOR);
  const int64_t shape[] = {32, 3};
  AddList(row, "input_shapes", shape);
  builder_.AddText(row, "input_dtypes", "float32");
  EXPECT_EQ(Finish(), R"x(,"input_shapes":{"X":[[32,3]]},)x"
                      R"x("input_dtypes":{"X":["float32"]})x");
}

TEST_F(ArgsTest, OperatorsKeepShapesInPaddlesForm) {
  Row row = Event(STEPSCOPE_OPERATOR);
  builder_.AddText(row, "input_shapes", R"x({"A":[[1],[2]]})x");
  EXPECT_EQ(Finish(), R"x(,"input_shapes":{"A":[[1],[2]]})x");
}

TEST_F(ArgsTest, LinksAreSaidOnce) {
  Row row = Event(STEPSCOPE_CUDA_RUNTIME);
  builder_.AddInt(row, "correlation id", 5);
  builder_.AddLink({.id = 5, .row = row});
  builder_.AddLink({.id = 6, .row = row});
  builder_.AddLink({.space = LinkSpace::kExternal, .id = 9, .row = row});
  EXPECT_EQ(Finish(),
            R"x(,"correlation id":5,"correlation id (2)":6,"External id":9)x");
}

}  // namespace
}  // namespace stepscope
