// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/chrome.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json_check.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// The entries of traceEvents, one a line, without the last comma.
std::string Events(const Trace& trace, const ChromeOptions& options = {}) {
  std::string json = ChromeJson(trace, options);
  EXPECT_EQ(CheckJson(json), JsonKind::kObject) << json;
  constexpr std::string_view kBegin = "\"traceEvents\": [\n";
  size_t begin = json.find(kBegin) + kBegin.size();
  size_t end = json.find("\n],\n\"ExtraInfo\"", begin);
  return json.substr(begin, end - begin) + "\n";
}

std::string EventsOf(std::string_view text) {
  return Events(*TraceFromText(text));
}

size_t CountParts(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

#define EXPECT_HAS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << (part) << "\n" << (text)
#define EXPECT_HAS_NOT(text, part) \
  EXPECT_EQ((text).find(part), std::string::npos) << (part) << "\n" << (text)

// clang-format off
TEST(Chrome, Golden) {
  EXPECT_EQ(EventsOf(R"(
process 100 rank=3 name=train host=node7
thread 7 main
  2000..100000 ProfileStep#0 ProfileStep
    3000..40001 net Forward
      3500..12345 conv2d Operator bytes=64
    50000..50000 mark instant
)"),
            R"x({"name":"ProfileStep#0","cat":"ProfileStep","ph":"X","pid":100,"tid":"7(Python)","ts":0.000,"dur":98.000,"args":{"start_time":"0.000 us","end_time":"98.000 us"}},
{"name":"net","cat":"Forward","ph":"X","pid":100,"tid":"7(Python)","ts":1.000,"dur":37.001,"args":{"start_time":"1.000 us","end_time":"38.001 us"}},
{"name":"conv2d","cat":"Operator","ph":"X","pid":100,"tid":"7(C++)","ts":1.500,"dur":8.845,"args":{"start_time":"1.500 us","end_time":"10.345 us","bytes":64}},
{"name":"mark","cat":"UserDefined","ph":"i","s":"t","pid":100,"tid":"7(C++)","ts":48.000,"args":{"start_time":"48.000 us","end_time":"48.000 us"}},
{"name":"process_name","ph":"M","pid":100,"args":{"name":"Process 100 (CPU)"}},
{"name":"process_labels","ph":"M","pid":100,"args":{"labels":"train,rank 3,node7"}},
{"name":"process_sort_index","ph":"M","pid":100,"args":{"sort_index":100,"rank":3}},
{"name":"thread_sort_index","ph":"M","pid":100,"tid":"7(Python)","ts":98.000,"args":{"sort_index":14}},
{"name":"thread_name","ph":"M","pid":100,"tid":"7(Python)","ts":98.000,"args":{"name":"thread 7:main(Python)"}},
{"name":"thread_sort_index","ph":"M","pid":100,"tid":"7(C++)","ts":98.000,"args":{"sort_index":15}},
{"name":"thread_name","ph":"M","pid":100,"tid":"7(C++)","ts":98.000,"args":{"name":"thread 7:main(C++)"}}
)x");
}
// clang-format on

TEST(Chrome, WhatIsNoProcessIsKnownByItsName) {
  std::string events = EventsOf(R"(
process -2 name="/device:CPU:0 Compute"
thread 0
  0..10 MatMul Operator
)");
  EXPECT_HAS(events, R"("name":"process_name","ph":"M","pid":2,)"
                     R"("args":{"name":"/device:CPU:0 Compute"})");
  EXPECT_HAS_NOT(events, "process_labels");
}

TEST(Chrome, TopLevelKeysInPaddlesOrder) {
  TraceBuilder builder;
  builder.AlignEpoch(1786000000000000000, true);
  BuildFromText("thread 7 main\n  500..900 a", builder);
  builder.MergeClock({.source = "tsc", .epoch_known = true});
  builder.MergeCpuUsage({.process = 1.5, .system = 0.25});
  builder.ledger().Keep(1);
  builder.ledger().Reject("bad \"block\"", 0, {}, 2);
  builder.AddSource("capture", "a.sscap");
  builder.SetIncomplete();
  auto trace = builder.Finish();
  ASSERT_TRUE(trace);
  std::string json = ChromeJson(**trace, {.span_index = 2});
  size_t begin = json.find("[\n") + 2;
  json.erase(begin, json.find("\n]") - begin);
  EXPECT_EQ(json, R"x({
"displayTimeUnit": "ms",
"schemaVersion": "1.0.2",
"span_indx": "2",
"deviceProperties": [],
"baseTimeNanoseconds": 1786000000000000500,
"traceEvents": [

],
"ExtraInfo": {
  "System Cpu Utilization": "0.250000",
  "Process Cpu Utilization": "1.500000",
  "7": "main"
},
"stepscope": {
  "version": ")x" STEPSCOPE_VERSION R"x(",
  "source": {"format":"capture", "files": ["a.sscap"]},
  "baseTimeNanoseconds": "1786000000000000500",
  "epochKnown": true,
  "windowBegin": 0,
  "windowEnd": 400,
  "complete": false,
  "processes": [
    {"pid": 1, "metadata": {}}],
  "ledger": {"seen": 3, "kept": 1, "repaired": {}, "rejected": {"bad \"block\"": 2}},
  "dropped": {},
  "notes": []
}
}
)x");
}

TEST(Chrome, EmptyTrace) {
  TraceBuilder builder;
  auto trace = builder.Finish();
  ASSERT_TRUE(trace);
  std::string json = ChromeJson(**trace);
  EXPECT_EQ(CheckJson(json), JsonKind::kObject) << json;
  EXPECT_HAS(json, "\"traceEvents\": [\n\n],\n");
}

TEST(Chrome, OverlappingEventsGetRowsOfTheirOwn) {
  std::string events = EventsOf("thread 7 io\n 0..50 a\n 20..80 b\n");
  EXPECT_HAS(events, R"x("tid":"7(C++) lane 1","ts":0.020,"dur":0.060)x");
  EXPECT_HAS(events, R"x({"name":"thread 7:io(C++) lane 1"})x");
}

TEST(Chrome, ReusedThreadIdGetsRowsOfItsOwn) {
  TraceBuilder builder;
  BuildFromText("thread 7 first\n 0..5 a\n", builder);
  uint32_t track = builder.AddTrack(
      {.id = 7, .name = builder.Intern("second"), .device_type = {}});
  builder.AddEvent({track, 10, 5, builder.Intern("b"), 7, 0});
  auto trace = builder.Finish();
  ASSERT_TRUE(trace);
  std::string events = Events(**trace);
  EXPECT_HAS(events, R"x({"name":"thread 7:first(C++)"})x");
  EXPECT_HAS(events, R"x("tid":"7(C++) #2","ts":0.015,)x"
                     R"x("args":{"name":"thread 7:second(C++) #2"})x");
}

TEST(Chrome, SilentThreadIsStillListed) {
  EXPECT_HAS(EventsOf("thread 7 idle\n"), "thread 7:idle(C++)");
}

TEST(Chrome, OpenAndClippedAreSaid) {
  std::string events =
      EventsOf("thread 7 m\n 0..50 a open\n 60..70 b clipped\n window 0 90");
  EXPECT_HAS(events, R"x("end_time":"0.050 us","open_at_end":true}})x");
  EXPECT_HAS(events, R"x("name_clipped":true}})x");
}

TEST(Chrome, LaunchesAreArrowsAndStreamsAreRowsOfTheirDevice) {
  std::string events = EventsOf(R"(
process 100
thread 7 main
  1000..2000 cudaLaunchKernel CudaRuntime correlation=5
  3000..4000 cudaLaunchKernel CudaRuntime correlation=6
stream 3 GPU:0
  2500..5000 gemm Kernel correlation=5 grid=[1,2,3]
  6000..6900 tiny Memset correlation=5
)");
  EXPECT_HAS(events, R"x("pid":0,"tid":3,"ts":1.500,"dur":2.500,"args":)x"
                     R"x({"start_time":"1.500 us","end_time":"4.000 us",)x"
                     R"x("grid":[1,2,3],"correlation id":5,"device":0,)x"
                     R"x("stream":3}})x");
  EXPECT_HAS(events, R"x({"name":"launch","id":5,"cat":"async","ph":"s",)x"
                     R"x("pid":100,"tid":"7(C++)","ts":0.500})x");
  EXPECT_HAS(events, R"x("ph":"f","bp":"e","pid":0,"tid":3,"ts":2.750})x");
  EXPECT_HAS(events, R"x("ph":"f","pid":0,"tid":3,"ts":5.000})x");
  EXPECT_HAS_NOT(events, R"x("id":6)x");  // launched nothing
  EXPECT_HAS(events, R"x({"name":"Device 0 (GPU)"})x");
  EXPECT_HAS(events, R"x({"name":"stream 3"})x");
  EXPECT_HAS(events, R"x("pid":0,"args":{"sort_index":268435456})x");
}

TEST(Chrome, LaunchIdsOfTwoProcessesDoNotMeet) {
  std::string events = EventsOf(R"(
process 100
thread 7 main
  1000..2000 launch CudaRuntime correlation=5
stream 3 GPU:0
  2500..5000 gemm Kernel correlation=5
process 100
thread 7 main
  1000..2000 launch CudaRuntime correlation=5
stream 3 GPU:0
  2500..5000 gemm Kernel correlation=5
)");
  EXPECT_EQ(CountParts(events, R"x("launch","id":1,)x"), 2u) << events;
  EXPECT_EQ(CountParts(events, R"x("launch","id":2,)x"), 2u) << events;
  // Equal pids and device numbers are told apart.
  EXPECT_EQ(CountParts(events, "\"process_name\""), 4u);
  EXPECT_HAS(events, R"x("pid":268435556,"tid":"7(C++) @268435556")x");
  EXPECT_HAS(events, R"x("pid":268435456,"tid":3)x");
  EXPECT_HAS(events, "Device 0 (GPU) of process 100");
}

TEST(Chrome, CountersFlowsAndMemory) {
  std::string text = R"(
process 100
thread 7 main
  0..9000 step Forward
    1000..2000 op Operator
counter 1500 loss 0.5
memory 1500 +1024 Place(cpu) 0x10 total=1024 reserved=2048
memory 1700 -1024 Place(cpu) 0x10 total=0 reserved=2048
flow 1500 5 begin arrow
flow 5000 5 end arrow
flow 5000 9223372036854775807 step far
)";
  std::string events = EventsOf(text);
  EXPECT_HAS(events, R"x({"name":"loss","ph":"C","pid":100,"ts":1.500,)x"
                     R"x("args":{"value":0.5}})x");
  EXPECT_HAS(events,
             R"x({"name":"[memory]","cat":"Free","ph":"i","s":"t",)x"
             R"x("pid":100,"tid":"7(C++)","ts":1.700,"args":{)x"
             R"x("place":"Place(cpu)","addr":"16","increase_bytes":-1024,)x"
             R"x("current_allocated":0,"current_reserved":2048,)x"
             R"x("peak_allocated":1024,"peak_reserved":2048}})x");
  EXPECT_HAS(events, R"x({"name":"Memory Place(cpu)","ph":"C","pid":100,)x"
                     R"x("ts":1.700,"args":{"allocated":0,"reserved":2048}})x");
  // Arrows are tied to the row of the event that they start or end in.
  EXPECT_HAS(events, R"x({"name":"arrow","id":5,"cat":"flow","ph":"s",)x"
                     R"x("pid":100,"tid":"7(C++)","ts":1.500})x");
  EXPECT_HAS(events, R"x("ph":"f","bp":"e","pid":100,"tid":"7(Python)",)x"
                     R"x("ts":5.000})x");
  EXPECT_HAS(events, R"x({"name":"far","id":"0x7fffffffffffffff",)x");
  std::string less =
      Events(*TraceFromText(text), {.memory = false, .dataflow = false});
  EXPECT_HAS_NOT(less, "emory");
  EXPECT_HAS_NOT(less, "arrow");
  EXPECT_HAS(less, "loss");
}

TEST(Chrome, TimesStartAtTheEarliestOfEverything) {
  std::string events =
      EventsOf("thread 7 m\n 5000..6000 a\ncounter 1000 early 1\n");
  EXPECT_HAS(events, R"x("ts":4.000,"dur":1.000,)x"
                     R"x("args":{"start_time":"0.000 us","end_time":"1.000)x");
  EXPECT_HAS(events, R"x("ts":0.000,"args":{"value":1)x");
}

TEST(Chrome, ManyThreads) {
  TraceBuilder builder;
  uint32_t process = builder.AddProcess(
      {.pid = 1, .name = {}, .host = {}, .source = {}, .metadata = {}});
  StringId name = builder.Intern("work");
  constexpr uint32_t kThreads = 100000;
  for (uint32_t i = 0; i < kThreads; ++i) {
    uint32_t track = builder.AddTrack(
        {.process = process, .id = i, .name = name, .device_type = {}});
    builder.AddEvent({track, i, 10, name, 7, 0});
  }
  auto trace = builder.Finish();
  ASSERT_TRUE(trace);
  std::string events = Events(**trace);
  EXPECT_EQ(CountParts(events, "\"thread_name\""), kThreads);
  EXPECT_EQ(CountParts(events, "\"ph\":\"X\""), kThreads);
}

}  // namespace
}  // namespace stepscope
