// SPDX-License-Identifier: Apache-2.0
#include "exporters/kineto/kineto.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <string>

#include "base/json_check.h"
#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::string KinetoOf(const Trace& trace) {
  MemorySink sink;
  EXPECT_TRUE(KinetoExporter().Export(trace, {}, sink));
  std::string text = sink.TakeText();
  EXPECT_EQ(CheckJson(text), JsonKind::kObject) << text;
  return text;
}

std::string KinetoEventsOf(const std::string& text) {
  constexpr std::string_view kBegin = "\"traceEvents\": [\n";
  const size_t begin = text.find(kBegin) + kBegin.size();
  return text.substr(begin, text.rfind("\n]") - begin) + "\n";
}

// clang-format off
TEST(Kineto, Golden) {
  EXPECT_EQ(KinetoEventsOf(KinetoOf(*TraceFromText(R"(
process 100 rank=3 name=train
thread 7 main
  2000..100000 ProfileStep#4 ProfileStep
    3000..40001 Forward Forward
      3500..12345 aten::mm Operator
    50000..60000 mine PythonUserDefined
    70000..80000 MmBackward0 Backward
)"))),
            R"x({"name":"ProfilerStep#4","cat":"user_annotation","ph":"X","pid":100,"tid":7,"ts":0.000,"dur":98.000,"args":{"External id":1,"Ev Idx":0}},
{"name":"Forward","cat":"user_annotation","ph":"X","pid":100,"tid":7,"ts":1.000,"dur":37.001,"args":{"External id":2,"Ev Idx":1}},
{"name":"aten::mm","cat":"cpu_op","ph":"X","pid":100,"tid":7,"ts":1.500,"dur":8.845,"args":{"External id":3,"Ev Idx":2}},
{"name":"mine","cat":"user_annotation","ph":"X","pid":100,"tid":7,"ts":48.000,"dur":10.000,"args":{"External id":4,"Ev Idx":3}},
{"name":"MmBackward0","cat":"cpu_op","ph":"X","pid":100,"tid":7,"ts":68.000,"dur":10.000,"args":{"External id":5,"Ev Idx":4}},
{"name":"process_name","ph":"M","pid":100,"tid":0,"args":{"name":"train"}},
{"name":"process_labels","ph":"M","pid":100,"tid":0,"args":{"labels":"CPU"}},
{"name":"process_sort_index","ph":"M","pid":100,"tid":0,"args":{"sort_index":100}},
{"name":"thread_name","ph":"M","pid":100,"tid":7,"args":{"name":"thread 7 (main)"}},
{"name":"thread_sort_index","ph":"M","pid":100,"tid":7,"args":{"sort_index":7}}
)x");
}
// clang-format on

// A launch of a kernel within an annotation, a pair of autograd, metadata.
class KinetoOfDevice : public testing::Test {
 protected:
  KinetoOfDevice() {
    Process process;
    process.pid = 100;
    process_ = builder_.AddProcess(process);
    Track thread;
    thread.process = process_;
    thread.id = 7;
    thread_ = builder_.AddTrack(thread);
    Track stream;
    stream.process = process_;
    stream.kind = TrackKind::kStream;
    stream.id = 13;
    stream.device = 1;
    stream_ = builder_.AddTrack(stream);
  }

  Row Add(uint32_t track, int64_t start, int64_t end, const char* name,
          uint16_t type) {
    return builder_.AddEvent(
        {track, start, end - start, builder_.Intern(name), type, 0});
  }
  void Link(LinkSpace space, uint64_t id, Row row) {
    builder_.AddLink({process_, space, id, row});
  }
  void Say(const char* key, const char* value) {
    const std::pair entry = {builder_.Intern(key), builder_.Intern(value)};
    builder_.process(process_).metadata.push_back(entry);
  }
  std::string Written() { return KinetoOf(**builder_.Finish()); }

  TraceBuilder builder_;
  uint32_t process_ = 0;
  uint32_t thread_ = 0;
  uint32_t stream_ = 0;
};

#define EXPECT_HAS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << (part) << "\n" << (text)
#define EXPECT_HAS_NOT(text, part) \
  EXPECT_EQ((text).find(part), std::string::npos) << (part) << "\n" << (text)

TEST_F(KinetoOfDevice, LaunchesBelongToOperatorsAndAnnotations) {
  Add(thread_, 0, 10000, "mine", STEPSCOPE_USER_DEFINED);
  Add(thread_, 1000, 9000, "aten::mm", STEPSCOPE_OPERATOR);
  const Row call =
      Add(thread_, 2000, 3000, "cudaLaunchKernel", STEPSCOPE_CUDA_RUNTIME);
  const Row kernel = Add(stream_, 5000, 25000, "gemm", STEPSCOPE_KERNEL);
  Link(LinkSpace::kCorrelation, 42, call);
  Link(LinkSpace::kCorrelation, 42, kernel);
  const std::string text = Written();
  EXPECT_HAS(text,
             R"("cat":"cuda_runtime","ph":"X","pid":100,"tid":7,"ts":2.000,)"
             R"("dur":1.000,"args":{"correlation":42,"External id":2}})");
  EXPECT_HAS(text, R"("cat":"kernel","ph":"X","pid":1,"tid":13,"ts":5.000,)"
                   R"("dur":20.000,"args":{"correlation":42,"device":1,)"
                   R"("stream":13,"External id":2}})");
  EXPECT_HAS(text,
             R"({"name":"mine","cat":"gpu_user_annotation","ph":"X","pid":1,)"
             R"("tid":13,"ts":5.000,"dur":20.000,"args":{"External id":1}})");
  EXPECT_HAS(text, R"({"ph":"s","id":42,"pid":100,"tid":7,"ts":2.000,)"
                   R"("cat":"ac2g","name":"ac2g"})");
  EXPECT_HAS(text, R"({"ph":"f","id":42,"pid":1,"tid":13,"ts":5.000,)"
                   R"("cat":"ac2g","name":"ac2g","bp":"e"})");
  EXPECT_HAS(text, R"("args":{"labels":"GPU 1"})");
  EXPECT_HAS(text, R"("args":{"name":"stream 13 "})");
}

TEST_F(KinetoOfDevice, CallsOfTheDriverAreToldByName) {
  Add(thread_, 0, 1, "cuLaunchKernel", STEPSCOPE_CUDA_RUNTIME);
  Add(thread_, 2, 3, "cudaMemcpyAsync", STEPSCOPE_CUDA_RUNTIME);
  const std::string text = Written();
  EXPECT_HAS(text, R"("name":"cuLaunchKernel","cat":"cuda_driver")");
  EXPECT_HAS(text, R"("name":"cudaMemcpyAsync","cat":"cuda_runtime")");
}

TEST_F(KinetoOfDevice, FunctionsOfPythonAreNamedAsKinetoDoes) {
  Add(thread_, 0, 9, "forward (net.py:12)", STEPSCOPE_PYTHON_FUNCTION);
  Add(thread_, 1, 2, "print", STEPSCOPE_PYTHON_FUNCTION);
  const std::string text = Written();
  EXPECT_HAS(text, R"("name":"net.py(12): forward","cat":"python_function")");
  EXPECT_HAS(text, R"("name":"print","cat":"python_function")");
}

TEST_F(KinetoOfDevice, ForwardAndBackwardAreJoined) {
  const Row outer = Add(thread_, 0, 100, "aten::linear", STEPSCOPE_OPERATOR);
  const Row inner = Add(thread_, 10, 90, "aten::addmm", STEPSCOPE_OPERATOR);
  const Row node =
      Add(thread_, 200, 300, "evaluate_function", STEPSCOPE_BACKWARD);
  const Row gradient = Add(thread_, 210, 250, "Addmm0", STEPSCOPE_BACKWARD);
  for (const Row row : {outer, inner, node, gradient})
    Link(LinkSpace::kSequence, 9, row);
  // Earlier by number, later by time.
  Link(LinkSpace::kSequence, 8,
       Add(thread_, 0, 5, "aten::first", STEPSCOPE_OPERATOR));
  Link(LinkSpace::kSequence, 8,
       Add(thread_, 400, 500, "First0", STEPSCOPE_BACKWARD));
  const std::string text = Written();
  EXPECT_HAS(text, R"({"ph":"s","id":1,"pid":100,"tid":7,"ts":0.010,)"
                   R"("cat":"fwdbwd","name":"fwdbwd"})");
  EXPECT_HAS(text, R"({"ph":"f","id":1,"pid":100,"tid":7,"ts":0.210,)"
                   R"("cat":"fwdbwd","name":"fwdbwd","bp":"e"})");
  EXPECT_HAS(text, R"({"ph":"f","id":2,"pid":100,"tid":7,"ts":0.400,)");
  EXPECT_HAS(text, R"("Sequence number":9,"External id":5,"Fwd thread id":1)");
}

TEST_F(KinetoOfDevice, MetadataIsAtTheTop) {
  Add(thread_, 0, 1, "a", STEPSCOPE_OPERATOR);
  Say("boot_id", "42");
  Say("setting", R"({"depth": [1, 2]})");
  Say("title", "not JSON");
  Say("GPU1.name", "H200");
  Say("GPU1.multiprocessors", "132");
  const std::string text = Written();
  EXPECT_HAS(text,
             "{\n\"schemaVersion\": 1,\n\"deviceProperties\": [{\"id\": "
             "1, \"name\":\"H200\", \"numSms\": 132}],\n");
  EXPECT_HAS(text, "\n\"setting\": {\"depth\": [1, 2]},\n");
  EXPECT_HAS(text, "\n\"title\": \"not JSON\",\n");
  EXPECT_HAS(text, "\n\"displayTimeUnit\": \"ms\",\n");
  EXPECT_HAS_NOT(text, "boot_id");
}

TEST_F(KinetoOfDevice, OfTorchsFaceWithoutWhatTorchHasNot) {
  Say("torch.profiler", "no schedule");
  Add(thread_, 0, 100, "ProfileStep#0", STEPSCOPE_PROFILE_STEP);
  Add(thread_, 10, 90, "Forward", STEPSCOPE_FORWARD);
  Add(thread_, 20, 80, "aten::mm", STEPSCOPE_OPERATOR);
  const std::string text = Written();
  EXPECT_HAS(text, "aten::mm");
  EXPECT_HAS_NOT(text, "Forward");
  EXPECT_HAS_NOT(text, "ProfilerStep");
  EXPECT_HAS_NOT(text, "torch.profiler");
}

TEST_F(KinetoOfDevice, WithoutWhatWasTurnedOff) {
  Say("torch.profiler", "schedule");
  Add(thread_, 0, 10, "aten::before", STEPSCOPE_OPERATOR);
  Add(thread_, 20, 80, "torch.profiler: collection off",
      STEPSCOPE_PYTHON_USER_DEFINED);
  Add(thread_, 30, 40, "aten::during", STEPSCOPE_OPERATOR);
  Add(thread_, 90, 99, "aten::after", STEPSCOPE_OPERATOR);
  const std::string text = Written();
  EXPECT_HAS(text, "aten::before");
  EXPECT_HAS(text, "aten::after");
  EXPECT_HAS_NOT(text, "aten::during");
  EXPECT_HAS_NOT(text, "collection off");
}

TEST_F(KinetoOfDevice, SaysItsRankAndHowManyThereAre) {
  builder_.process(process_).rank = 0;
  Say("world_size", "2");
  EXPECT_HAS(Written(), R"("distributedInfo": {"rank": 0, "world_size": 2},)");
}

TEST_F(KinetoOfDevice, DevicesOfSeveralRanksSayTheirNumber) {
  Process process;
  process.pid = 200;
  Track stream;
  stream.process = builder_.AddProcess(process);
  stream.kind = TrackKind::kStream;
  stream.id = 13;
  stream.device = 1;
  const uint32_t other = builder_.AddTrack(stream);
  Add(stream_, 0, 10, "k", STEPSCOPE_KERNEL);
  Add(other, 0, 10, "k", STEPSCOPE_KERNEL);
  const std::string text = Written();
  EXPECT_HAS(text, R"("pid":1,"tid":0,"args":{"sort_index":5000001,)"
                   R"("owner":100,"device":1})");
  EXPECT_HAS(text, R"("args":{"sort_index":5000001,"owner":200,"device":1})");
}

TEST_F(KinetoOfDevice, ListsOfInputsAreLists) {
  const Row row = Add(thread_, 0, 1, "aten::mm", STEPSCOPE_OPERATOR);
  Arg arg;
  arg.row = row;
  arg.key = builder_.Intern("Input Dims");
  arg.kind = ArgKind::kText;
  arg.text = builder_.Intern("[[2,3],[3,4]]");
  builder_.AddArg(arg);
  EXPECT_HAS(Written(), R"("args":{"Input Dims":[[2,3],[3,4]],)");
}

TEST_F(KinetoOfDevice, MemoryInTorchsNumbers) {
  MemoryEvent event;
  event.time_ns = 5;
  event.bytes = -64;
  event.address = 99;
  event.total_allocated = 128;
  event.track = thread_;
  event.place = builder_.Intern("Place(gpu:1)");
  event.kind = MemoryKind::kFree;
  builder_.AddMemory(event);
  EXPECT_HAS(Written(),
             R"("args":{"Total Reserved":0,"Total Allocated":128,"Addr":99,)"
             R"("Bytes":-64,"Device Id":1,"Device Type":1}})");
}

// A snapshot of the allocator states no totals, and segments as events.
TEST_F(KinetoOfDevice, WhatIsReservedIsATotalAndNoAllocation) {
  MemoryEvent event;
  event.time_ns = 5;
  event.bytes = 2'097'152;
  event.address = 4096;
  event.track = thread_;
  event.place = builder_.Intern("Place(gpu:0)");
  event.kind = MemoryKind::kReservedAllocate;
  builder_.AddMemory(event);
  event.bytes = 512;
  event.kind = MemoryKind::kAllocate;
  builder_.AddMemory(event);
  const std::string written = Written();
  EXPECT_HAS(written,
             R"("args":{"Total Reserved":2097152,"Total Allocated":512,)"
             R"("Addr":4096,"Bytes":512,)");
  EXPECT_EQ(written.find("[memory]"), written.rfind("[memory]"));
}

TEST(Kineto, EmptyTrace) {
  TraceBuilder builder;
  EXPECT_HAS(KinetoOf(**builder.Finish()), "\"traceEvents\": [\n\n]\n}\n");
}

}  // namespace
}  // namespace stepscope
