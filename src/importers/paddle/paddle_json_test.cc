// SPDX-License-Identifier: Apache-2.0
//
// Files as Paddle 2.6 and 3.3 write them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "importers/chrome/json_test_support.h"
#include "importers/paddle/paddle_written_test_support.h"
#include "trace/event_type.h"

namespace stepscope::json {
namespace {

constexpr int64_t kEpochUs = kPaddleEpochUs;

std::shared_ptr<const Trace> Read(
    const std::string& events,
    const std::string& head = R"("span_index": "0",)",
    const std::string& tail = "") {
  auto trace = ReadText(PaddleDocument(events, head, tail));
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *trace : nullptr;
}

using Node = PaddleNode;

std::string Written(const Node& node, int64_t first_ns) {
  return PaddleWritten(node, first_ns);
}

std::string Memory(int64_t time_ns, int64_t bytes, uint64_t peak) {
  return R"J({"name": "[memory]", "pid": 5, "tid": "6(C++)", "ts": )J" +
         std::to_string(kEpochUs + time_ns / 1000) +
         R"(, "ph": "i", "cat": ")" + (bytes < 0 ? "Free" : "Allocate") +
         R"J(", "args": {"place": "Place(cpu)", "addr": "77",
"increase_bytes": )J" +
         std::to_string(bytes) +
         R"(, "current_allocated": 100, "current_reserved": 0,
"peak_allocated": )" +
         std::to_string(peak) + R"(, "peak_reserved": 0}},
)";
}

constexpr int64_t kWindowMinute = 60'000'000'000;

// After a minute, single precision is 4 us apart: every event of this operator
// is stated at the same time, and most with no duration.
TEST(PaddleJsonTest, ShortEventsOfALongWindow) {
  const int64_t first = 669'417;
  std::vector<Node> level1 = {{"ProfileStep#3", first, 8'602'117}};
  std::vector<Node> level2;
  std::vector<Node> level3;
  for (int i = 0; i < 200; ++i) {
    const int64_t at = first + kWindowMinute + i * 5'431;
    level1.push_back({"relu dygraph", at, 4'217});
    level2.push_back({"relu node_creation", at + 310, 346});
    level2.push_back({"relu infer_meta", at + 700, 347});
    level2.push_back({"relu kernel launch", at + 1'100, 3'011});
    level3.push_back({"phase", at + 1'150, 211});
    level3.push_back({"phase", at + 1'400, 180});
  }
  std::string text;
  for (const auto* level : {&level1, &level2, &level3})
    for (const Node& node : *level) text += Written(node, first);
  const auto trace = Read(text);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->tracks().size(), 1u) << "something overlaps";
  ASSERT_EQ(trace->size(), 1201u);
  const Nesting& nesting = trace->nesting();
  int inner = 0;
  for (Row row = 0; row < trace->size(); ++row) {
    const std::string name(trace->str(trace->name()[row]));
    const Row parent = nesting.parent[row];
    if (name == "relu dygraph") {
      EXPECT_EQ(parent, kNoRow);
      EXPECT_EQ(trace->dur_ns()[row], 4'217);
    } else if (name == "phase") {
      ASSERT_NE(parent, kNoRow);
      EXPECT_EQ(trace->str(trace->name()[parent]), "relu kernel launch");
      ++inner;
    } else if (name.starts_with("relu")) {
      ASSERT_NE(parent, kNoRow) << name;
      EXPECT_EQ(trace->str(trace->name()[parent]), "relu dygraph") << name;
      ++inner;
    }
  }
  EXPECT_EQ(inner, 1000);
  // No start is further off than the file's microsecond.
  for (size_t i = 1; i < level1.size(); ++i) {
    const int64_t start = trace->start_ns()[1 + (i - 1) * 6] +
                          trace->epoch_ns() - kEpochUs * 1000;
    EXPECT_LE(std::abs(start - level1[i].start_ns), 1000) << i;
  }
}

// The first event's place in its microsecond follows from all others.
// Operators of a microsecond or two, each with a child: times alone would
// allow two parents for many of them, names do not.
TEST(PaddleJsonTest, ShortChildrenOfALongWindowLieInTheirOperator) {
  const std::string kinds[] = {"add", "relu", "matmul"};
  std::vector<Node> operators;
  std::vector<Node> inner;
  int64_t time = kWindowMinute + 100'300;
  for (int i = 0; i < 90; ++i) {
    const std::string& kind = kinds[i % 3];
    const int64_t dur = 600 + i * 37 % 700;
    operators.push_back({kind + " dygraph", time, dur});
    inner.push_back(
        {kind + " infer_meta", time + 40, 180 + i * 29 % 300, "OperatorInner"});
    time += dur + 30 + i * 53 % 170;
  }
  std::string written = Written({"first", 0, 5'000}, 0);
  written += Written(
      {"ProfileStep#3", kWindowMinute, time - kWindowMinute, "ProfileStep"}, 0);
  for (const Node& node : operators) written += Written(node, 0);
  for (const Node& node : inner) written += Written(node, 0);
  const auto trace = Read(written);
  ASSERT_NE(trace, nullptr);
  size_t found = 0;
  for (Row row = 0; row < trace->size(); ++row) {
    const std::string_view name = trace->str(trace->name()[row]);
    if (!name.ends_with(" infer_meta")) continue;
    const Row parent = trace->nesting().parent[row];
    ASSERT_NE(parent, kNoRow) << name;
    const std::string_view around = trace->str(trace->name()[parent]);
    found +=
        around.substr(0, around.find(' ')) == name.substr(0, name.find(' '));
  }
  EXPECT_EQ(found, inner.size());
}

TEST(PaddleJsonTest, StartsToTheNanosecond) {
  const int64_t first = 789'669'417;
  std::string text = Written({"ProfileStep#3", first, 8'602'117}, first);
  std::vector<Node> nodes;
  for (int i = 0; i < 1500; ++i)
    nodes.push_back({"op", first + 100 + i * 5'003, 3'777});
  for (const Node& node : nodes) text += Written(node, first);
  const auto trace = Read(text);
  ASSERT_TRUE(trace);
  EXPECT_TRUE(trace->clock().epoch_known);
  ASSERT_EQ(trace->size(), nodes.size() + 1);
  for (Row row = 0; row < trace->size(); ++row) {
    const int64_t start =
        trace->start_ns()[row] + trace->epoch_ns() - kEpochUs * 1000;
    const int64_t truth = row == 0 ? first : nodes[row - 1].start_ns;
    ASSERT_LE(std::abs(start - truth), 3) << row;
    if (row > 0) {
      ASSERT_EQ(trace->dur_ns()[row], 3'777);
    }
  }
}

TEST(PaddleJsonTest, MemoryBelongsToTheEventItStandsBehind) {
  // Both in one microsecond, and the second of them ends in it.
  const std::string text = Memory(200, 8, 7) + Written({"outer", 0, 9'000}, 0) +
                           Memory(5'100, 64, 4096) +
                           Written({"inner", 4'200, 1'850}, 0) +
                           Memory(6'020, -64, 4096);
  const auto trace = Read(text);
  ASSERT_TRUE(trace);
  const Row outer = RowNamed(*trace, "outer");
  const Row inner = RowNamed(*trace, "inner");
  ASSERT_EQ(trace->memory().size(), 3u);
  EXPECT_EQ(trace->memory()[0].owner, kNoRow);
  EXPECT_EQ(trace->memory()[1].owner, outer);
  EXPECT_EQ(trace->memory()[2].owner, inner);
  EXPECT_EQ(trace->memory()[1].peak_allocated, 4096u);
}

TEST(PaddleJsonTest, MemoryInAnotherOrderGoesByTime) {
  const std::string text = Written({"early", 0, 9'000}, 0) +
                           Written({"late", 20'000, 9'000}, 0) +
                           Memory(5'000, 64, 0);
  const auto trace = Read(text);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->memory().size(), 1u);
  EXPECT_EQ(trace->memory()[0].owner, RowNamed(*trace, "early"));
}

TEST(PaddleJsonTest, BothSpellingsOfTheWindow) {
  for (const char* key : {"span_indx", "span_index"}) {
    const auto trace = Read(Written({"op", 0, 5'000}, 0),
                            '"' + std::string(key) + R"(": "2",)");
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->format(), "paddle");
    bool found = false;
    for (const auto& [name, value] : trace->processes()[0].metadata)
      found |= trace->str(name) == key && trace->str(value) == "2";
    EXPECT_TRUE(found) << key;
  }
}

TEST(PaddleJsonTest, EmptyNames) {
  const auto trace =
      Read(Written({"", 0, 5'000}, 0) + Written({"[x]", 10'000, 5'000}, 0));
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->size(), 2u);
  EXPECT_EQ(trace->str(trace->name()[0]), "");
  EXPECT_EQ(trace->str(trace->name()[1]), "[x]");
}

TEST(PaddleJsonTest, LaunchesHaveTypesOfTheirOwn) {
  const auto trace = Read(Written({"add dygraph", 0, 5'000}, 0) +
                          Written({"a", 1'000, 900, "DygraphKernelLaunch"}, 0) +
                          Written({"b", 2'000, 900, "StaticKernelLaunch"}, 0));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->type()[RowNamed(*trace, "a")], kDygraphKernelLaunch);
  EXPECT_EQ(trace->type()[RowNamed(*trace, "b")], kStaticKernelLaunch);
}

// Without the order that Paddle writes, time alone decides.
TEST(PaddleJsonTest, ChildrenBeforeTheirParents) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    const int64_t at = i * 20'000;
    text += Written({"leaf", at + 4'000, 1'000}, 0);
    text += Written({"middle", at + 2'000, 5'000}, 0);
    text += Written({"top", at, 9'000}, 0);
  }
  const auto trace = Read(text);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->tracks().size(), 1u);
  for (Row row = 0; row < trace->size(); ++row)
    EXPECT_EQ(trace->nesting().depth[row], row % 3);
}

// Calls stand behind the event that they are in, between what else is in it.
TEST(PaddleJsonTest, CallsOfTheDevice) {
  std::string text;
  const int64_t first = 669'417;
  text += Written({"ProfileStep#3", first, 8'602'117}, first);
  for (int i = 0; i < 20; ++i) {
    const int64_t at = first + kWindowMinute + i * 20'431;
    text += Written({"op", at, 9'000}, first);
    text += Written({"launch", at + 3'100, 900, "CudaRuntime"}, first);
    text += Written({"launch", at + 6'100, 900, "CudaRuntime"}, first);
    text += Memory(at + 7'500, 8, 9);
  }
  for (int i = 0; i < 20; ++i) {
    const int64_t at = first + kWindowMinute + i * 20'431;
    text += Written({"inner", at + 100, 2'900, "OperatorInner"}, first);
    text += Written({"inner", at + 4'010, 2'080, "OperatorInner"}, first);
  }
  // One that lies elsewhere stays there.
  text += Written({"stray", first + 9'000'000, 900, "CudaRuntime"}, first);
  const auto trace = Read(text);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->tracks().size(), 1u);
  int inside = 0;
  for (Row row = 0; row < trace->size(); ++row) {
    const Row parent = trace->nesting().parent[row];
    if (parent == kNoRow) continue;
    EXPECT_EQ(trace->str(trace->name()[parent]), "op");
    ++inside;
  }
  EXPECT_EQ(inside, 80);
  for (const MemoryEvent& event : trace->memory()) {
    ASSERT_NE(event.owner, kNoRow);
    EXPECT_EQ(trace->str(trace->name()[event.owner]), "op");
  }
  const Row stray = RowNamed(*trace, "stray");
  EXPECT_EQ(trace->start_ns()[stray] - trace->start_ns()[0], 9'000'000);
}

TEST(PaddleJsonTest, TimesThatMakeNoSense) {
  std::string text;
  const std::string far = "2300000000000000";  // us: 73 years
  for (const char* sign : {"", "-"}) {
    for (const char* own : {"0.000", "-2300000000000000", "9e14", "nan"}) {
      text += R"J({"name": "e[1 us]", "pid": 5, "tid": "6(C++)", "ts": )J" +
              std::string(sign) + far + R"J(, "dur": )J" + far +
              R"J(, "ph": "X", "cat": "Operator", "args": {"start_time": ")J" +
              own + R"J( us", "end_time": "0 us"}},)J";
      text += R"J({"name": "[memory]", "pid": 5, "tid": "6(C++)", "ts": )J" +
              std::string(sign) + far +
              R"J(, "ph": "i", "cat": "Free", "args": {"increase_bytes": -1}},
)J";
    }
  }
  text += Written({"op", 5'000, 3'777}, 0) + Memory(6'000, 8, 9);
  const auto trace = Read(text);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->dur_ns()[RowNamed(*trace, "op")], 3'777);
}

TEST(PaddleJsonTest, EventsThatOverlapStayWhereTheyAre) {
  const auto trace =
      Read(Written({"a", 0, 100'000}, 0) + Written({"b", 50'000, 100'000}, 0));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->start_ns()[RowNamed(*trace, "b")] -
                trace->start_ns()[RowNamed(*trace, "a")],
            50'000);
  EXPECT_EQ(trace->dur_ns()[RowNamed(*trace, "a")], 100'000);
}

}  // namespace
}  // namespace stepscope::json
