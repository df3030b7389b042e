// SPDX-License-Identifier: Apache-2.0
#include "exporters/timeline/timeline.h"

#include <gtest/gtest.h>

#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::string Timeline(const std::vector<LabelledTrace>& traces,
                     std::vector<std::string>* notes = nullptr) {
  MemorySink sink;
  std::vector<std::string> ignored;
  EXPECT_TRUE(WriteTimeline(traces, sink, notes ? *notes : ignored));
  return sink.TakeText();
}

std::shared_ptr<const Trace> WithEpoch(const char* text, int64_t epoch_ns,
                                       bool known = true) {
  TraceBuilder builder;
  builder.AlignEpoch(epoch_ns, known);
  BuildFromText(text, builder);
  auto trace = builder.Finish();
  return *trace;
}

// The profile of the original's example: same order of processes, names and
// keys; microseconds instead of nanoseconds, a total for each place, and the
// slices of one row by time.
TEST(Timeline, AsTheOriginalButRight) {
  const auto trace = TraceFromText(R"(
stream 7 GPU:0
  1000..3000 conv2d Kernel detail_info="conv_kernel"
  200..300 MEMCPY_HtoD Memcpy bytes=4096
thread 0
  500..1500 ParallelExecutor::Run/conv2d Operator
    600..700 conv2d CudaRuntime detail_info="cudaLaunchKernel_v7000"
memory 550 +256 Place(gpu:0) 0x1
memory 560 +64 Place(cpu:0) 0x2
memory 900 -256 Place(gpu:0) 0x1
memory 900 -64 Place(cpu:0) 0x2
)");
  EXPECT_EQ(
      Timeline({{"trainer", trace}}),
      R"({"traceEvents":[{"name":"process_name","ph":"M","pid":0,"args":{"name":"trainer:gpu:0"}},
{"name":"process_name","ph":"M","pid":1,"args":{"name":"trainer:cpu:block:0"}},
{"name":"process_name","ph":"M","pid":2,"args":{"name":"trainer:cuda_api"}},
{"name":"process_name","ph":"M","pid":3,"args":{"name":"memory usage on trainer:gpu:0"}},
{"name":"process_name","ph":"M","pid":4,"args":{"name":"memory usage on trainer:cpu:0"}},
{"name":"process_name","ph":"M","pid":5,"args":{"name":"memory usage on trainer:cudapinnedplace:0"}},
{"ph":"X","cat":"Op","name":"MEMCPY_HtoD","pid":0,"tid":7,"ts":0.200,"dur":0.100,"args":{"name":"MEMCPY_HtoD","mem_bytes":4096}},
{"ph":"X","cat":"Op","name":"conv2d","pid":0,"tid":7,"ts":1.000,"dur":2.000,"args":{"name":"conv2d","detail_info":"conv_kernel"}},
{"ph":"X","cat":"Op","name":"conv2d","pid":1,"tid":0,"ts":0.500,"dur":1.000,"args":{"name":"ParallelExecutor::Run/conv2d"}},
{"ph":"X","cat":"Op","name":"conv2d","pid":2,"tid":0,"ts":0.600,"dur":0.100,"args":{"name":"conv2d","detail_info":"cudaLaunchKernel_v7000"}},
{"ph":"C","cat":"Memory","name":"Memory","pid":3,"tid":0,"ts":0.550,"args":{"0":256}},
{"ph":"C","cat":"Memory","name":"Memory","pid":4,"tid":0,"ts":0.560,"args":{"0":64}},
{"ph":"C","cat":"Memory","name":"Memory","pid":3,"tid":0,"ts":0.900,"args":{"0":0}},
{"ph":"C","cat":"Memory","name":"Memory","pid":4,"tid":0,"ts":0.900,"args":{"0":0}}]}
)");
}

TEST(Timeline, KnownClocksAreAligned) {
  constexpr int64_t kEpoch = 1'700'000'000'000'000'000;
  const char* const text = "thread 0\n 1000..3000 a\n";
  std::vector<std::string> notes;
  const std::string json =
      Timeline({{"trainer0", WithEpoch(text, kEpoch)},
                {"pserver0", WithEpoch(text, kEpoch + 5000)}},
               &notes);
  EXPECT_EQ(notes, std::vector<std::string>());
  EXPECT_NE(json.find(R"("pid":0,"tid":0,"ts":0.000,"dur":2.000)"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("pid":1,"tid":0,"ts":5.000,"dur":2.000)"),
            std::string::npos);
  EXPECT_NE(json.find("\"baseTimeNanoseconds\":1700000000000001000}"),
            std::string::npos);
}

TEST(Timeline, UnknownClocksAreSaidToBe) {
  constexpr int64_t kEpoch = 1'700'000'000'000'000'000;
  const char* const text = "thread 0\n 1000..3000 a\n";
  std::vector<std::string> notes;
  std::string json = Timeline(
      {{"a", WithEpoch(text, kEpoch)}, {"b", WithEpoch(text, 0, false)}},
      &notes);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].find("clocks are not aligned: b states no absolute time"),
            0u);
  EXPECT_NE(json.find(R"("pid":1,"tid":0,"ts":0.000)"), std::string::npos);
  notes.clear();
  json = Timeline(
      {{"a", WithEpoch(text, 0, false)}, {"b", WithEpoch(text, 700, false)}},
      &notes);
  EXPECT_EQ(notes.size(), 1u);
  EXPECT_NE(json.find(R"("pid":0,"tid":0,"ts":1.000)"), std::string::npos);
  EXPECT_NE(json.find(R"("pid":1,"tid":0,"ts":1.700)"), std::string::npos);
}

TEST(Timeline, OverlapsHaveARowOfTheirOwn) {
  const auto trace = TraceFromText("thread 3\n 0..10 a\n 5..15 b block=2\n");
  const std::string json = Timeline({{"t", trace}});
  EXPECT_NE(json.find(R"("name":"t:cpu:block:2")"), std::string::npos);
  EXPECT_NE(json.find(R"("name":"b","pid":1,"tid":"3 lane 1")"),
            std::string::npos)
      << json;
}

TEST(Timeline, Nothing) {
  EXPECT_EQ(Timeline({{"t", TraceFromText("thread 3\n")}}),
            "{\"traceEvents\":[]}\n");
}

}  // namespace
}  // namespace stepscope
