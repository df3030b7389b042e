// SPDX-License-Identifier: Apache-2.0
//
// Chrome's format: containers, phases, times and odd input, one event each.
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include "importers/chrome/json_test_support.h"

namespace stepscope::json {
namespace {

// An array of events, each on process 1 and thread 2 unless it says more.
std::shared_ptr<const Trace> Events(std::string_view events) {
  return ReadOrFail("{\"traceEvents\": [" + std::string(events) + "]}");
}

constexpr char kTwo[] = R"({"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":2},
  {"ph":"X","name":"b","pid":1,"tid":2,"ts":1.5,"dur":0.25})";

void ExpectTwo(const Trace& trace) {
  ASSERT_EQ(trace.size(), 2u);
  EXPECT_EQ(trace.start_ns()[0], 1000);
  EXPECT_EQ(trace.dur_ns()[0], 2000);
  EXPECT_EQ(trace.start_ns()[1], 1500);
  EXPECT_EQ(trace.dur_ns()[1], 250);
  EXPECT_EQ(trace.nesting().parent[1], 0u);
  EXPECT_EQ(trace.processes().size(), 1u);
  EXPECT_EQ(trace.processes()[0].pid, 1);
  EXPECT_EQ(trace.tracks()[0].id, 2);
}

TEST(ContainerTest, BothFormsAndMissingEnds) {
  const std::string two = kTwo;
  const auto expect = [](const std::string& text, bool complete) {
    const auto trace = ReadOrFail(text);
    ASSERT_NE(trace, nullptr);
    ExpectTwo(*trace);
    EXPECT_EQ(LedgerLine(*trace), "kept 2") << text;
    EXPECT_EQ(trace->complete(), complete) << text;
  };
  expect("[" + two + "]", true);
  expect("[\n" + two + ",\n]", true);
  expect("\xef\xbb\xbf [" + two + "]", true);
  expect("{\"traceEvents\":[" + two + "]}", true);
  expect("{\"a\":{\"traceEvents\":[]},\"traceEvents\":[" + two + "],\"b\":1}",
         true);
  expect("[" + two, false);
  expect("[" + two + ",", false);
  expect("{\"traceEvents\":[" + two, false);
}

TEST(ContainerTest, CutInsideAnEvent) {
  const auto trace =
      ReadOrFail("[" + std::string(kTwo) + ", {\"ph\":\"X\",\"na");
  ExpectTwo(*trace);
  EXPECT_EQ(LedgerLine(*trace), "kept 2, rejected cut short 1");
  EXPECT_FALSE(trace->complete());
}

TEST(ContainerTest, EmptyAndForeignDocuments) {
  EXPECT_EQ(ReadOrFail("[]")->size(), 0u);
  EXPECT_EQ(ReadOrFail("{\"traceEvents\":[]}")->size(), 0u);
  for (const char* text : {"", " ", "{}", "{\"a\":1}", "7", "\"x\"", "{"}) {
    const auto trace = ReadText(text);
    ASSERT_FALSE(trace) << text;
    EXPECT_EQ(trace.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(trace.error().message.find("without trace events"),
              std::string::npos);
  }
}

TEST(ContainerTest, WhatIsNoEventIsRejectedAlone) {
  const auto trace = Events(std::string("1, \"x\", [2, {}], null, {}, ") +
                            kTwo + ", {\"ph\" 7}, {\"name\":\"x\"}");
  ExpectTwo(*trace);
  EXPECT_EQ(LedgerLine(*trace),
            "kept 3, rejected no phase 1, rejected not JSON 1, "
            "rejected not an object 4");
}

// torch wrote names with raw quotes: the rest of the file looks inside out.
TEST(ContainerTest, AnUnescapedQuoteCostsOneEvent) {
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [\n";
  for (int i = 0; i < 100; ++i) {
    text += "  {\n    \"ph\": \"X\", \"name\": \"";
    text += i == 40 ? "say \"hi" : "op" + std::to_string(i);
    text += "\", \"pid\": 1, \"tid\": 2, \"ts\": " + std::to_string(i) +
            ", \"dur\": 1\n  },\n";
  }
  text += "{}]}";
  const auto trace = ReadOrFail(text);
  EXPECT_EQ(trace->size(), 99u);
  EXPECT_EQ(LedgerLine(*trace), "kept 100, rejected not JSON 1");
}

TEST(ContainerTest, MembersBecomeMetadata) {
  const auto trace =
      ReadOrFail(R"({"displayTimeUnit": "ns", "x": {"y": [1, "]"]},
    "traceEvents": [], "otherData": {"version": "1"}, "host_name": "h\u0031"})");
  const auto& metadata = trace->processes()[0].metadata;
  ASSERT_EQ(metadata.size(), 4u);
  EXPECT_EQ(trace->str(metadata[0].second), "ns");
  EXPECT_EQ(trace->str(metadata[1].second), "{\"y\": [1, \"]\"]}");
  EXPECT_EQ(trace->str(trace->processes()[0].host), "h1");
}

TEST(PhaseTest, BeginAndEnd) {
  const auto trace = Events(R"(
    {"ph":"B","name":"out","pid":1,"tid":2,"ts":1,"args":{"a":1}},
    {"ph":"B","name":"in","pid":1,"tid":2,"ts":2},
    {"ph":"E","pid":1,"tid":2,"ts":3},
    {"ph":"E","name":"out","pid":1,"tid":2,"ts":5,"args":{"b":"x"}},
    {"ph":"E","pid":1,"tid":2,"ts":6},
    {"ph":"B","name":"open","pid":1,"tid":2,"ts":7},
    {"ph":"X","name":"late","pid":1,"tid":3,"ts":8,"dur":2})");
  EXPECT_EQ(LedgerLine(*trace),
            "kept 5, repaired begin without an end 1, "
            "rejected end without a begin 1");
  const Row out = RowNamed(*trace, "out");
  EXPECT_EQ(trace->dur_ns()[out], 4000);
  EXPECT_EQ(trace->flags()[out], 0);
  EXPECT_EQ(trace->raw_args(out), "\"a\":1, \"b\":\"x\"");
  EXPECT_EQ(trace->nesting().parent[RowNamed(*trace, "in")], out);
  const Row open = RowNamed(*trace, "open");
  EXPECT_EQ(trace->flags()[open], kEventOpenAtEnd);
  EXPECT_EQ(trace->end_ns(open), 10000);
}

TEST(PhaseTest, Instants) {
  const auto trace = Events(R"(
    {"ph":"i","name":"i","pid":1,"tid":2,"ts":1,"s":"g"},
    {"ph":"I","name":"I","pid":1,"tid":2,"ts":2},
    {"ph":"R","name":"R","pid":1,"tid":2,"ts":3},
    {"ph":"P","name":"P","pid":1,"tid":2,"ts":4,"id":1,"args":{"data":{}}},
    {"ph":"v","name":"v","pid":1,"tid":2,"ts":5,"id":1},
    {"ph":"c","name":"c","pid":1,"tid":2,"ts":6},
    {"ph":"(","name":"(","pid":1,"tid":2,"ts":7,"id":1},
    {"ph":"?","name":"q","pid":1,"tid":2,"ts":8})");
  EXPECT_EQ(LedgerLine(*trace), "kept 7, rejected unknown phase 1");
  for (Row row = 0; row < trace->size(); ++row)
    EXPECT_EQ(trace->flags()[row], kEventInstant);
  EXPECT_EQ(trace->raw_args(RowNamed(*trace, "P")), "\"data\":{}");
}

TEST(PhaseTest, AsynchronousEvents) {
  const auto trace = Events(R"(
    {"ph":"b","cat":"net","name":"get","id":"0x1","pid":1,"ts":1},
    {"ph":"b","cat":"net","name":"sub","id":"0x1","pid":1,"ts":2},
    {"ph":"n","cat":"net","name":"mark","id":"0x1","pid":1,"ts":3},
    {"ph":"b","cat":"net","name":"other","id":{"local":"0x1"},"pid":1,"ts":3},
    {"ph":"e","cat":"net","name":"sub","id":"0x1","pid":1,"ts":4},
    {"ph":"e","cat":"net","name":"get","id":"0x1","pid":1,"ts":9},
    {"ph":"e","cat":"net","name":"get","id":"0x1","pid":1,"ts":9},
    {"ph":"S","cat":"net","name":"old","id":5,"pid":1,"ts":1},
    {"ph":"T","cat":"net","name":"old step","id":5,"pid":1,"ts":2},
    {"ph":"F","cat":"net","name":"old","id":5,"pid":1,"ts":6},
    {"ph":"b","cat":"net","name":"no id","pid":1,"ts":1})");
  EXPECT_EQ(LedgerLine(*trace),
            "kept 8, repaired begin without an end 1, "
            "rejected end without a begin 1, rejected no id 1");
  EXPECT_EQ(trace->dur_ns()[RowNamed(*trace, "get")], 8000);
  EXPECT_EQ(trace->dur_ns()[RowNamed(*trace, "sub")], 2000);
  EXPECT_EQ(trace->dur_ns()[RowNamed(*trace, "old")], 5000);
  const Row get = RowNamed(*trace, "get");
  EXPECT_EQ(trace->tracks()[trace->track()[get]].kind, TrackKind::kAsync);
  EXPECT_EQ(trace->raw_args(get), "\"id\": \"0x1\"");
}

TEST(PhaseTest, Objects) {
  const auto trace = Events(R"(
    {"ph":"N","cat":"Tensor","name":"t0","id":0,"pid":1,"tid":0,"ts":1},
    {"ph":"O","cat":"Tensor","name":"t0","id":0,"pid":1,"tid":0,"ts":2,
     "args":{"snapshot":{"bytes":4}}},
    {"ph":"D","cat":"Tensor","name":"t0","id":0,"pid":1,"tid":0,"ts":7})");
  EXPECT_EQ(LedgerLine(*trace), "kept 3");
  ASSERT_EQ(trace->size(), 2u);
  EXPECT_EQ(trace->dur_ns()[0], 6000);
  EXPECT_EQ(trace->raw_args(1), "\"snapshot\":{\"bytes\":4}, \"id\": 0");
}

TEST(PhaseTest, ObjectsOfBeforeTheRecordingAreDeletedInIt) {
  const auto trace = Events(R"(
    {"ph":"D","cat":"Tensor","name":"t0","id":0,"pid":1,"tid":0,"ts":7})");
  EXPECT_EQ(LedgerLine(*trace), "kept 1");
  ASSERT_EQ(trace->size(), 1u);
  EXPECT_EQ(trace->dur_ns()[0], 0);
  EXPECT_EQ(trace->flags()[0], kEventInstant);
  EXPECT_EQ(trace->raw_args(0), "\"id\": 0");
}

// TensorFlow and JAX state the number as text.
TEST(PhaseTest, RangesWithAStepNumberAreSteps) {
  const auto trace = Events(R"(
    {"ph":"X","name":"train","pid":1,"tid":2,"ts":1,"dur":2,
     "args":{"step_num":"7"}},
    {"ph":"X","name":"eval","pid":1,"tid":2,"ts":4,"dur":2,
     "args":{"step_num":8}},
    {"ph":"X","name":"odd","pid":1,"tid":2,"ts":8,"dur":2,
     "args":{"step_num":"x"}})");
  EXPECT_EQ(LedgerLine(*trace), "kept 3");
  EXPECT_EQ(trace->type()[0], STEPSCOPE_PROFILE_STEP);
  EXPECT_EQ(trace->type()[1], STEPSCOPE_PROFILE_STEP);
  EXPECT_EQ(trace->type()[2], STEPSCOPE_USER_DEFINED);
  ASSERT_EQ(trace->args_of(0).size(), 1u);
  EXPECT_EQ(trace->str(trace->args_of(0)[0].key), "step");
  EXPECT_EQ(trace->args_of(0)[0].int_value, 7);
  EXPECT_EQ(trace->raw_args(0), "\"step_num\":\"7\"");
}

TEST(PhaseTest, FlowsCountersAndMetadata) {
  const auto trace = Events(R"(
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"tr\u0061in"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
    {"ph":"M","name":"process_name","pid":9,"args":{"name":"nobody"}},
    {"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":2},
    {"ph":"s","name":"f","cat":"c","id":7,"pid":1,"tid":2,"ts":1},
    {"ph":"t","name":"f","cat":"c","id":7,"pid":1,"tid":2,"ts":2},
    {"ph":"f","name":"f","cat":"c","id":"x","pid":1,"tid":2,"ts":3,"bp":"e"},
    {"ph":"C","name":"mem","pid":1,"ts":4,"args":{"used":3,"free":1.5}},
    {"ph":"C","name":"mem","pid":1,"ts":5,"args":{"used":"4"}},
    {"ph":"C","name":"mem","pid":1,"ts":6,"args":{"used":"many"}})");
  EXPECT_EQ(LedgerLine(*trace), "kept 9, rejected counter without a number 1");
  EXPECT_EQ(trace->processes().size(), 1u);
  EXPECT_EQ(trace->str(trace->processes()[0].name), "train");
  EXPECT_EQ(trace->str(trace->tracks()[0].name), "main");
  ASSERT_EQ(trace->flows().size(), 3u);
  EXPECT_EQ(trace->flows()[0].id, 7u);
  EXPECT_EQ(trace->flows()[1].phase, FlowPhase::kStep);
  EXPECT_EQ(trace->flows()[2].phase, FlowPhase::kEnd);
  ASSERT_EQ(trace->counters().size(), 3u);
  EXPECT_EQ(trace->counters()[0].int_value, 3);
  EXPECT_EQ(trace->counters()[1].int_value, 4);
  EXPECT_EQ(trace->counters()[2].value, 1.5);
  EXPECT_EQ(trace->str(trace->tracks()[trace->counters()[2].track].name),
            "mem free");
}

TEST(TimeTest, OddTimesAreSaid) {
  const auto trace = Events(R"(
    {"ph":"X","name":"nan","pid":1,"tid":2,"ts":NaN,"dur":1},
    {"ph":"X","name":"none","pid":1,"tid":2,"dur":1},
    {"ph":"X","name":"huge","pid":1,"tid":2,"ts":1e300,"dur":1},
    {"ph":"X","name":"long","pid":1,"tid":2,"ts":1,"dur":1e18},
    {"ph":"X","name":"negative","pid":1,"tid":2,"ts":5,"dur":-3},
    {"ph":"X","name":"no dur","pid":1,"tid":2,"ts":6},
    {"ph":"X","name":"before","pid":1,"tid":2,"ts":-4,"dur":1},
    {"ph":"X","name":"text","pid":1,"tid":2,"ts":"7.5","dur":"0.5"})");
  EXPECT_EQ(LedgerLine(*trace),
            "kept 2, repaired negative duration 1, repaired no duration 1, "
            "rejected duration out of range 1, rejected no time 1, "
            "rejected time is not a number 1, rejected time out of range 1");
  EXPECT_EQ(trace->dur_ns()[RowNamed(*trace, "negative")], 0);
  EXPECT_EQ(trace->start_ns()[RowNamed(*trace, "before")], -4000);
  EXPECT_EQ(trace->start_ns()[RowNamed(*trace, "text")], 7500);
  EXPECT_EQ(trace->ledger().rejected().at("no time").examples[0].what, "none");
  EXPECT_GT(trace->ledger().rejected().at("no time").examples[0].offset, 80u);
}

TEST(TimeTest, EpochNanosecondsAreExact) {
  const auto trace = Events(
      R"({"ph":"X","name":"a","pid":1,"tid":2,"ts":1712000000123456.789,
          "dur":0.001})");
  EXPECT_EQ(trace->start_ns()[0], 123456789);
  EXPECT_EQ(trace->epoch_ns(), 1712000000000000000);
  EXPECT_EQ(trace->dur_ns()[0], 1);
  EXPECT_TRUE(trace->clock().epoch_known);
  const auto based = ReadOrFail(R"({"baseTimeNanoseconds": 1712000000000000000,
    "traceEvents": [{"ph":"X","name":"a","pid":1,"tid":2,"ts":1.5,"dur":1}]})");
  EXPECT_EQ(based->epoch_ns(), 1712000000000000000);
  EXPECT_EQ(based->start_ns()[0], 1500);
}

TEST(TimeTest, TheFirstEventNeedNotBeTheEarliest) {
  const auto trace = ReadOrFail(R"([
    {"ph":"X","name":"b","ts":1700000005000000.5,"dur":10,"pid":1,"tid":1},
    {"ph":"C","name":"c","ts":1700000004000000,"pid":1,"args":{"v":1}},
    {"ph":"X","name":"a","ts":1700000002500000,"dur":10,"pid":1,"tid":1}])");
  EXPECT_EQ(trace->start_ns()[0], 500000000);
  EXPECT_EQ(trace->start_ns()[1], 3000000500);
  EXPECT_EQ(trace->counters()[0].time_ns, 2000000000);
  EXPECT_EQ(trace->epoch_ns(), 1700000002000000000);
  EXPECT_EQ(trace->begin_ns(), 500000000);
}

TEST(StringTest, BytesAreKeptAsTheyAre) {
  const auto trace = Events(
      "{\"ph\":\"X\",\"name\":\"\xff\xfe\",\"pid\":1,\"tid\":2,\"ts\":1,"
      "\"dur\":1,\"args\":{\"k\":\"\x80\"}},"
      "{\"ph\":\"X\",\"name\":\"a\nb\",\"pid\":1,\"tid\":2,\"ts\":3,"
      "\"dur\":1},"
      "{\"ph\":\"X\",\"name\":\"fine \\u00e9\",\"pid\":1,\"tid\":2,\"ts\":5,"
      "\"dur\":1}");
  EXPECT_EQ(LedgerLine(*trace),
            "kept 1, repaired bytes are not UTF-8 1, "
            "repaired raw control character in a string 1");
  EXPECT_EQ(trace->raw_args(RowNamed(*trace, "\xff\xfe")), "\"k\":\"\x80\"");
  EXPECT_TRUE(HasName(*trace, "a\nb"));
  EXPECT_TRUE(HasName(*trace, "fine \u00e9"));
}

TEST(StringTest, RawArgumentsAndUnknownMembersStay) {
  const auto trace = Events(
      R"({"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":1,"cname":"bad",
          "args":{"x": {"y":[1,2]}, "x":2, "s":"}\""},"tts":5})");
  EXPECT_EQ(trace->raw_args(0),
            R"("x": {"y":[1,2]}, "x":2, "s":"}\"", "cname":"bad", "tts":5)");
}

TEST(RowTest, IdsAreTakenAsTheyAre) {
  const auto trace = Events(R"(
    {"ph":"X","name":"a","pid":"worker","tid":"loop","ts":1,"dur":1},
    {"ph":"X","name":"b","pid":"worker","tid":"loop","ts":2,"dur":1},
    {"ph":"X","name":"c","pid":-5,"tid":0,"ts":1,"dur":1},
    {"ph":"X","name":"d","pid":0,"tid":18446744073709551615,"ts":1,"dur":1},
    {"ph":"X","name":"e","ts":1,"dur":1})");
  EXPECT_EQ(LedgerLine(*trace), "kept 5");
  EXPECT_EQ(trace->processes().size(), 4u);
  EXPECT_EQ(trace->tracks().size(), 4u);
  EXPECT_EQ(trace->str(trace->processes()[0].name), "worker");
  EXPECT_EQ(trace->str(trace->tracks()[0].name), "loop");
  EXPECT_EQ(trace->processes()[1].pid, -5);
  // No thread has a negative id.
  EXPECT_EQ(trace->tracks()[2].id, INT64_MAX);
}

TEST(RowTest, IdsOf32BitsAreNotNegative) {
  const auto trace = Events(R"(
    {"ph":"X","name":"a","pid":1,"tid":-549452224,"ts":1,"dur":1},
    {"ph":"X","name":"b","pid":1,"tid":3745515072,"ts":3,"dur":1})");
  ASSERT_EQ(trace->tracks().size(), 1u);
  EXPECT_EQ(trace->tracks()[0].id, 3745515072);
}

// The names come last here, as nothing says that they must come first.
TEST(RowTest, DevicesOfTensorFlowAndJaxHaveStreams) {
  const auto trace = Events(R"json(
    {"ph":"X","name":"jit_step","pid":701,"tid":3,"ts":1,"dur":9},
    {"ph":"X","name":"fusion_1","pid":1,"tid":14,"ts":2,"dur":1},
    {"ph":"X","name":"MemcpyH2D","pid":1,"tid":15,"ts":2,"dur":1},
    {"ph":"X","name":"train","pid":1,"tid":16,"ts":2,"dur":1},
    {"ph":"X","name":"fusion_2","pid":2,"tid":1,"ts":2,"dur":1},
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"/device:GPU:3"}},
    {"ph":"M","name":"process_name","pid":2,"args":{"name":"/device:TPU:1"}},
    {"ph":"M","name":"process_name","pid":701,"args":{"name":"/host:CPU"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":14,
     "args":{"name":"Stream #14(Compute)"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":15,
     "args":{"name":"Stream #15(MemcpyH2D)"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":16,"args":{"name":"Steps"}},
    {"ph":"M","name":"thread_name","pid":2,"tid":1,
     "args":{"name":"XLA Ops"}})json");
  EXPECT_EQ(LedgerLine(*trace), "kept 12");
  const auto check = [&](std::string_view name, TrackKind kind, int64_t device,
                         std::string_view device_type, uint16_t type) {
    const Row row = RowNamed(*trace, name);
    const Track& track = trace->tracks()[trace->track()[row]];
    EXPECT_EQ(track.kind, kind) << name;
    EXPECT_EQ(track.device, device) << name;
    EXPECT_EQ(trace->str(track.device_type), device_type) << name;
    EXPECT_EQ(trace->type()[row], type) << name;
  };
  check("jit_step", TrackKind::kThread, -1, "", STEPSCOPE_USER_DEFINED);
  check("fusion_1", TrackKind::kStream, 3, "GPU", STEPSCOPE_KERNEL);
  check("MemcpyH2D", TrackKind::kStream, 3, "GPU", STEPSCOPE_MEMCPY);
  check("train", TrackKind::kAsync, 3, "", STEPSCOPE_USER_DEFINED);
  check("fusion_2", TrackKind::kStream, 1, "TPU", STEPSCOPE_KERNEL);
  // A device is no process of its own.
  ASSERT_EQ(trace->processes().size(), 1u);
  EXPECT_EQ(trace->processes()[0].pid, 701);
}

TEST(RowTest, DevicesBelongToTheHostWhateverComesFirst) {
  const auto trace = Events(R"json(
    {"ph":"M","name":"process_labels","pid":1,"args":{"labels":"H200"}},
    {"ph":"X","name":"fusion","pid":1,"tid":14,"ts":2,"dur":1},
    {"ph":"X","name":"step","pid":7,"tid":3,"ts":1,"dur":9},
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"/device:GPU:0"}},
    {"ph":"M","name":"process_name","pid":7,"args":{"name":"/host:CPU"}})json");
  EXPECT_EQ(LedgerLine(*trace), "kept 5");
  ASSERT_EQ(trace->processes().size(), 1u);
  EXPECT_EQ(trace->processes()[0].pid, 7);
  for (const Track& track : trace->tracks()) EXPECT_EQ(track.process, 0u);
  ASSERT_EQ(trace->processes()[0].metadata.size(), 1u);
  EXPECT_EQ(trace->str(trace->processes()[0].metadata[0].first),
            "/device:GPU:0 process_labels");
}

// Whose device it is, the file does not say.
TEST(RowTest, DevicesBesideSeveralHostsStayProcesses) {
  const auto trace = Events(R"json(
    {"ph":"X","name":"fusion","pid":1,"tid":14,"ts":2,"dur":1},
    {"ph":"X","name":"step","pid":7,"tid":3,"ts":1,"dur":9},
    {"ph":"X","name":"step","pid":8,"tid":3,"ts":1,"dur":9},
    {"ph":"M","name":"process_name","pid":1,
     "args":{"name":"/device:GPU:0"}})json");
  EXPECT_EQ(trace->processes().size(), 3u);
}

// As the XPlane file of the same run says. Others' names may begin like this.
TEST(RowTest, FramesOfPythonOfTensorFlowAndJaxAreFunctions) {
  const auto trace = Events(R"json(
    {"ph":"X","name":"$lax.py:9 broadcast","pid":7,"tid":3,"ts":1,"dur":9},
    {"ph":"X","name":"PjitFunction(f)","pid":7,"tid":3,"ts":2,"dur":2},
    {"ph":"X","name":"$scope.apply","cat":"js","pid":7,"tid":3,"ts":5,
     "dur":2})json");
  const auto type = [&](std::string_view name) {
    return trace->type()[RowNamed(*trace, name)];
  };
  EXPECT_EQ(type("$lax.py:9 broadcast"), STEPSCOPE_PYTHON_FUNCTION);
  EXPECT_EQ(type("PjitFunction(f)"), STEPSCOPE_USER_DEFINED);
  EXPECT_EQ(type("$scope.apply"), STEPSCOPE_USER_DEFINED);
}

TEST(RowTest, OverlapsGoToFurtherLanes) {
  const auto trace = Events(R"(
    {"ph":"X","name":"b","pid":1,"tid":2,"ts":5,"dur":10},
    {"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":10})");
  EXPECT_EQ(LedgerLine(*trace), "kept 2");
  ASSERT_EQ(trace->tracks().size(), 2u);
  EXPECT_EQ(trace->tracks()[1].lane, 1u);
}

TEST(SizeTest, EventsAcrossChunksAndLongOnes) {
  // Some six chunks, one event larger than a chunk, on one line.
  std::string text = "[";
  const std::string pad(900, 'p');
  for (int i = 0; i < 6000; ++i) {
    text += "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":" +
            std::to_string(i * 10) +
            ",\"dur\":5,\"args\":{\"i\":" + std::to_string(i) + ",\"p\":\"" +
            (i == 3000 ? std::string(3000000, 'q') : pad) + "\"}},";
  }
  text += "{}]";
  const auto trace = ReadOrFail(text);
  ASSERT_EQ(trace->size(), 6000u);
  EXPECT_EQ(LedgerLine(*trace), "kept 6001");
  for (const Row row : {0u, 2999u, 3001u, 5999u}) {
    EXPECT_EQ(trace->start_ns()[row], row * 10000);
    EXPECT_EQ(trace->raw_args(row),
              "\"i\":" + std::to_string(row) + ",\"p\":\"" + pad + "\"");
  }
  EXPECT_GT(trace->raw_args(3000).size(), 3000000u);
}

TEST(SizeTest, DepthOfAMillion) {
  const std::string deep(1000000, '[');
  const auto trace = ReadOrFail(
      "[" + std::string(kTwo) +
      ",{\"ph\":\"X\",\"name\":\"deep\",\"pid\":1,\"tid\":2,\"ts\":9,"
      "\"dur\":1,\"args\":{\"d\":" +
      deep + std::string(1000000, ']') + "}}, {\"ph\":" + deep);
  EXPECT_EQ(trace->size(), 3u);
  EXPECT_EQ(LedgerLine(*trace), "kept 3, rejected cut short 1");
}

TEST(SizeTest, HostileNestingTakesNoQuadraticTime) {
  std::string text = "[";
  for (int i = 0; i < 300000; ++i) text += "{\"ph\":[";
  const auto trace = ReadOrFail(text);
  EXPECT_EQ(trace->size(), 0u);
  EXPECT_GT(trace->ledger().seen(), 0u);
}

}  // namespace
}  // namespace stepscope::json
