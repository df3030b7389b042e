// SPDX-License-Identifier: Apache-2.0
//
// torch.profiler and Paddle: rows, types, links, stages.
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include "importers/chrome/json_test_support.h"

namespace stepscope::json {
namespace {

std::shared_ptr<const Trace> Kineto(std::string_view events) {
  return ReadOrFail("{\"schemaVersion\": 1, \"traceEvents\": [" +
                    std::string(events) + "]}");
}

uint16_t TypeOf(const Trace& trace, std::string_view name) {
  return trace.type()[RowNamed(trace, name)];
}

const Track& TrackOf(const Trace& trace, std::string_view name) {
  return trace.tracks()[trace.track()[RowNamed(trace, name)]];
}

constexpr char kLaunch[] = R"J(
  {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":10,"ts":10,"dur":50,
   "args":{"External id":3,"Sequence number":5,"Input Dims":[[2,3],[3,4]],
           "Input type":["float","float"],"Ev Idx":0}},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":10,
   "ts":20,"dur":5,"args":{"External id":3,"cbid":211,"correlation":77}},
  {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":30,"dur":8,
   "args":{"External id":3,"device":0,"stream":7,"correlation":77,
           "grid":[2, 1,1],"block":[128,1,1],"registers per thread":32,
           "blocks per SM":0.5,"context":1,"graph node id":12}},
  {"ph":"s","id":77,"pid":9,"tid":10,"ts":20,"cat":"ac2g","name":"ac2g"},
  {"ph":"f","id":77,"pid":0,"tid":7,"ts":30,"cat":"ac2g","name":"ac2g",
   "bp":"e"})J";

TEST(KinetoTest, LaunchesLinkOperatorsAndKernels) {
  const auto trace = Kineto(kLaunch);
  EXPECT_EQ(trace->format(), "kineto");
  EXPECT_EQ(LedgerLine(*trace), "kept 5");
  EXPECT_EQ(trace->processes().size(), 1u);
  EXPECT_EQ(trace->processes()[0].pid, 9);
  EXPECT_EQ(TypeOf(*trace, "aten::mm"), STEPSCOPE_OPERATOR);
  EXPECT_EQ(TypeOf(*trace, "cudaLaunchKernel"), STEPSCOPE_CUDA_RUNTIME);
  EXPECT_EQ(TypeOf(*trace, "gemm"), STEPSCOPE_KERNEL);
  const Track& stream = TrackOf(*trace, "gemm");
  EXPECT_EQ(stream.kind, TrackKind::kStream);
  EXPECT_EQ(stream.device, 0);
  EXPECT_EQ(stream.id, 7);
  EXPECT_EQ(trace->str(stream.device_type), "GPU");
  ASSERT_EQ(trace->links().size(), 4u);
  EXPECT_EQ(trace->links()[0].space, LinkSpace::kCorrelation);
  EXPECT_EQ(trace->links()[0].id, 77u);
  EXPECT_EQ(trace->links()[1].id, 77u);
  EXPECT_EQ(trace->links()[2].space, LinkSpace::kGraphNode);
  EXPECT_EQ(trace->links()[3].space, LinkSpace::kSequence);
  EXPECT_EQ(trace->links()[3].id, 5u);
  EXPECT_TRUE(trace->flows().empty());  // the same as the links
}

TEST(KinetoTest, ArgumentsAreTypedOrRaw) {
  const auto trace = Kineto(kLaunch);
  const Row op = RowNamed(*trace, "aten::mm");
  const auto args = trace->args_of(op);
  ASSERT_EQ(args.size(), 2u);
  EXPECT_EQ(trace->str(args[0].key), "Input Dims");
  EXPECT_EQ(args[0].kind, ArgKind::kJson);
  EXPECT_EQ(trace->str(args[0].text), "[[2,3],[3,4]]");
  EXPECT_EQ(trace->raw_args(op), "\"External id\":3, \"Ev Idx\":0");
  const Row kernel = RowNamed(*trace, "gemm");
  const auto work = trace->args_of(kernel);
  ASSERT_EQ(work.size(), 3u);
  EXPECT_EQ(work[0].kind, ArgKind::kIntList);
  EXPECT_EQ(trace->arg_ints()[work[0].list_first], 2);
  EXPECT_EQ(work[2].kind, ArgKind::kDouble);
  EXPECT_EQ(work[2].double_value, 0.5);
  EXPECT_EQ(trace->raw_args(kernel),
            "\"External id\":3, \"registers per thread\":32, "
            "\"context\":1");
}

TEST(KinetoTest, WithoutTheCallTheExternalIdLinks) {
  const auto trace = Kineto(R"J(
    {"ph":"X","cat":"cpu_op","name":"op","pid":9,"tid":10,"ts":10,"dur":50,
     "args":{"External id":3}},
    {"ph":"X","cat":"cpu_op","name":"other","pid":9,"tid":10,"ts":70,"dur":5,
     "args":{"External id":4}},
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"dur":8,
     "args":{"External id":3,"correlation":77}})J");
  ASSERT_EQ(trace->links().size(), 3u);
  EXPECT_EQ(trace->links()[1].space, LinkSpace::kExternal);
  EXPECT_EQ(trace->links()[1].row, RowNamed(*trace, "op"));
  EXPECT_EQ(trace->links()[2].row, RowNamed(*trace, "k"));
}

TEST(KinetoTest, FirstGeneration) {
  const auto trace = Kineto(R"J(
    {"ph":"X","cat":"Operator","name":"aten::add","pid":9,"tid":"10","ts":10,
     "dur":50,"args":{"External id":2,"Device":9}},
    {"ph":"X","cat":"Operator","name":"ProfilerStep#3","pid":9,"tid":"10",
     "ts":1,"dur":90,"args":{"External id":1}},
    {"ph":"X","cat":"Runtime","name":"cudaMemcpyAsync","pid":9,"tid":"10",
     "ts":20,"dur":5,"args":{"correlation":5,"external id":2}},
    {"ph":"X","cat":"Memcpy","name":"Memcpy HtoD","pid":1,"tid":"stream 7",
     "ts":30,"dur":8,"args":{"device":1,"stream":7,"correlation":5,
     "external id":2,"bytes":64}},
    {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":10,"ts":11,
     "args":{"Device Type":0,"Device Id":-1,"Bytes":4}},
    {"ph":"X","cat":"Trace","ts":1,"dur":99,"pid":"Traces",
     "tid":"PyTorch Profiler","name":"PyTorch Profiler (0)","args":{}})J");
  EXPECT_EQ(trace->format(), "kineto");
  EXPECT_EQ(LedgerLine(*trace), "kept 6");
  EXPECT_EQ(trace->processes().size(), 1u);
  EXPECT_EQ(TypeOf(*trace, "aten::add"), STEPSCOPE_OPERATOR);
  EXPECT_EQ(TypeOf(*trace, "ProfilerStep#3"), STEPSCOPE_PROFILE_STEP);
  EXPECT_EQ(TypeOf(*trace, "Memcpy HtoD"), STEPSCOPE_MEMCPY);
  EXPECT_EQ(TrackOf(*trace, "Memcpy HtoD").device, 1);
  EXPECT_EQ(TrackOf(*trace, "Memcpy HtoD").id, 7);
  EXPECT_EQ(TrackOf(*trace, "aten::add").id, 10);
  EXPECT_EQ(TrackOf(*trace, "PyTorch Profiler (0)").kind, TrackKind::kAsync);
  ASSERT_EQ(trace->memory().size(), 1u);
  EXPECT_EQ(trace->str(trace->memory()[0].place), "Place(cpu)");
  EXPECT_EQ(trace->memory()[0].owner, RowNamed(*trace, "aten::add"));
}

TEST(KinetoTest, MemoryEvents) {
  const auto trace = Kineto(R"J(
    {"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":9,
     "tid":10,"ts":11,"args":{"Total Reserved":100,"Total Allocated":50,
     "Bytes":-20,"Device Id":1,"Device Type":1,"Addr":140224428507136}},
    {"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":9,"tid":10,
     "ts":12,"args":{}})J");
  EXPECT_EQ(LedgerLine(*trace),
            "kept 1, rejected memory event without bytes 1");
  const MemoryEvent& event = trace->memory()[0];
  EXPECT_EQ(event.bytes, -20);
  EXPECT_EQ(event.kind, MemoryKind::kFree);
  EXPECT_EQ(event.address, 140224428507136u);
  EXPECT_EQ(event.total_allocated, 50u);
  EXPECT_EQ(event.total_reserved, 100u);
  EXPECT_EQ(trace->str(event.place), "Place(gpu:1)");
}

TEST(KinetoTest, RowsThatLieOverOthersStandAside) {
  const auto trace = Kineto(std::string(kLaunch) + R"J(,
    {"ph":"X","cat":"gpu_user_annotation","name":"range","pid":0,"tid":7,
     "ts":29,"dur":5,"args":{}},
    {"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":31,
     "dur":20,"args":{}},
    {"ph":"X","cat":"overhead","name":"Buffer Flush","pid":-1,"tid":0,"ts":1,
     "dur":4},
    {"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":9,"tid":10,
     "ts":40,"dur":5,"args":{"correlation":78}},
    {"ph":"X","cat":"user_annotation","name":"nccl:all_reduce","pid":9,
     "tid":10,"ts":70,"dur":5},
    {"ph":"X","cat":"python_function","name":"f.py(3): f","pid":9,"tid":10,
     "ts":80,"dur":5,"args":{"Python id":1}},
    {"ph":"X","cat":"kernel","name":"broken","pid":0,"tid":7,"ts":90,
     "dur":1e13,"args":{}})J");
  EXPECT_EQ(LedgerLine(*trace),
            "kept 11, rejected device work of more than 7 days 1");
  EXPECT_EQ(TrackOf(*trace, "range").kind, TrackKind::kAsync);
  EXPECT_EQ(TrackOf(*trace, "Stream Sync").kind, TrackKind::kAsync);
  EXPECT_EQ(TypeOf(*trace, "Stream Sync"), STEPSCOPE_SYNCHRONIZATION);
  EXPECT_EQ(TypeOf(*trace, "Buffer Flush"), STEPSCOPE_OVERHEAD);
  EXPECT_EQ(TypeOf(*trace, "cudaGraphLaunch"), STEPSCOPE_GRAPH_LAUNCH);
  EXPECT_EQ(TypeOf(*trace, "nccl:all_reduce"), STEPSCOPE_COMMUNICATION);
  EXPECT_EQ(TypeOf(*trace, "f.py(3): f"), STEPSCOPE_PYTHON_FUNCTION);
  // A stream holds device work and nothing else.
  const Track& stream = TrackOf(*trace, "gemm");
  EXPECT_EQ(stream.last - stream.first, 1u);
}

// In a file of several ranks the pid of a device cannot be its number.
TEST(KinetoTest, RangesOverDevicesOfSeveralRanks) {
  const auto trace = Kineto(R"J(
    {"ph":"X","cat":"cpu_op","name":"a","pid":9,"tid":1,"ts":0,"dur":9},
    {"ph":"X","cat":"cpu_op","name":"b","pid":10,"tid":1,"ts":0,"dur":9},
    {"ph":"X","cat":"gpu_user_annotation","name":"first","pid":1,"tid":7,
     "ts":1,"dur":5,"args":{}},
    {"ph":"X","cat":"gpu_user_annotation","name":"second","pid":5000001,
     "tid":7,"ts":1,"dur":5,"args":{}},
    {"ph":"M","name":"process_sort_index","pid":1,"tid":0,
     "args":{"sort_index":5000001,"owner":9,"device":1}},
    {"ph":"M","name":"process_sort_index","pid":5000001,"tid":0,
     "args":{"sort_index":5000001,"owner":10,"device":1}})J");
  for (const char* name : {"first", "second"}) {
    const Track& track = TrackOf(*trace, name);
    EXPECT_EQ(track.device, 1) << name;
    EXPECT_EQ(track.id, 7) << name;
    EXPECT_EQ(trace->str(track.name), "1 7") << name;
  }
  EXPECT_EQ(trace->processes()[TrackOf(*trace, "first").process].pid, 9);
  EXPECT_EQ(trace->processes()[TrackOf(*trace, "second").process].pid, 10);
}

TEST(KinetoTest, RangesOfTorchAreStages) {
  const auto trace = Kineto(R"J(
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":9,"tid":1,
     "ts":0,"dur":900},
    {"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#It.__next__",
     "pid":9,"tid":1,"ts":10,"dur":90},
    {"ph":"X","cat":"cpu_op","name":"aten::conv2d","pid":9,"tid":1,"ts":110,
     "dur":100,"args":{"Sequence number":7,"Fwd thread id":0}},
    {"ph":"X","cat":"user_annotation","name":"Optimizer.zero_grad#SGD.zero_grad",
     "pid":9,"tid":1,"ts":310,"dur":50},
    {"ph":"X","cat":"cpu_op","pid":9,"tid":2,"ts":400,"dur":50,
     "name":"autograd::engine::evaluate_function: ConvBackward0",
     "args":{"Sequence number":7,"Fwd thread id":1}},
    {"ph":"X","cat":"user_annotation","name":"Optimizer.step#SGD.step","pid":9,
     "tid":1,"ts":700,"dur":100})J");
  EXPECT_EQ(trace->size(), 6u);
  size_t stages = 0;
  for (Row row = 0; row < trace->size(); ++row) {
    const uint16_t type = trace->type()[row];
    const bool inferred = (trace->flags()[row] & kEventInferred) != 0;
    const bool stage =
        type == STEPSCOPE_DATALOADER || type == STEPSCOPE_OPTIMIZATION;
    stages += stage;
    EXPECT_EQ(inferred, stage);
    // What is not in the file is left to the analysis.
    EXPECT_NE(type, STEPSCOPE_FORWARD);
    EXPECT_NE(type, STEPSCOPE_BACKWARD);
  }
  EXPECT_EQ(stages, 2u);
  EXPECT_EQ(trace->links().size(), 2u);
}

TEST(ChromeTest, TorchWithoutKinetoHasOperators) {
  const auto trace = ReadOrFail(R"J([
    {"name":"aten::mm","ph":"X","ts":3,"dur":4,"tid":1,"pid":"CPU functions",
     "args":{}},
    {"name":"Optimizer.step#SGD.step","ph":"X","ts":9,"dur":4,"tid":1,
     "pid":"CPU functions","args":{}}])J");
  ASSERT_EQ(trace->size(), 2u);
  EXPECT_EQ(trace->type()[0], STEPSCOPE_OPERATOR);
  EXPECT_EQ(trace->type()[1], STEPSCOPE_OPTIMIZATION);
}

TEST(KinetoTest, HeaderBehindTheEvents) {
  const auto trace = ReadOrFail(R"J({"traceEvents": [
    {"ph":"X","cat":"cpu_op","name":"a","pid":9,"tid":10,"ts":1.5,"dur":50}],
    "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
    "baseTimeNanoseconds": 1790857026000000000, "host_name": "node7"})J");
  EXPECT_EQ(trace->processes()[0].rank, 3);
  EXPECT_EQ(trace->str(trace->processes()[0].host), "node7");
  EXPECT_EQ(trace->epoch_ns(), 1790857026000000000);
  EXPECT_TRUE(trace->clock().epoch_known);
  EXPECT_EQ(trace->start_ns()[0], 1500);
}

TEST(KinetoTest, DeviceWorkOfMtiaIsDeviceWork) {
  const auto trace = ReadOrFail(R"({"schemaVersion": 1, "traceEvents": [
    {"ph":"X","cat":"mtia_ccp_events","name":"gemm","pid":0,"tid":3,"ts":5,
     "dur":4,"args":{"device":0,"stream":3,"correlation":9}},
    {"ph":"X","cat":"mtia_runtime","name":"launch","pid":1,"tid":2,"ts":1,
     "dur":1,"args":{"correlation":9}}]})");
  const Row work = RowNamed(*trace, "gemm");
  EXPECT_EQ(trace->type()[work], STEPSCOPE_KERNEL);
  EXPECT_EQ(TrackOf(*trace, "gemm").kind, TrackKind::kStream);
  EXPECT_EQ(trace->links().size(), 2u);
}

TEST(PaddleTest, NamesTimesAndRows) {
  const auto trace = ReadOrFail(R"J({"displayTimeUnit": "ms",
    "schemaVersion": "1.0.2", "span_indx": "0", "traceEvents": [
    {"name":"ProfileStep#1[900.500 us]","pid":5,"tid":"6(Python)",
     "ts":1700000000000000,"dur":900,"ph":"X","cat":"ProfileStep",
     "args":{"start_time":"0.250 us","end_time":"900.750 us"}},
    {"name":"conv2d[12.345 us]","pid":5,"tid":"6(C++)","ts":1700000000000010,
     "dur":12,"ph":"X","cat":"Operator","args":{"start_time":"10.500 us",
     "end_time":"22.845 us","input_shapes":{"X":[[2,3]]}}},
    {"name":"cudaLaunchKernel[2.000 us]","pid":5,"tid":"6(C++)",
     "ts":1700000000000011,"dur":2,"ph":"X","cat":"CudaRuntime",
     "args":{"correlation id":7,"start_time":"11.500 us",
     "end_time":"13.500 us"}},
    {"name":"kern[3.000 us]","pid":0,"tid":13,"ts":1700000000000015,"dur":3,
     "ph":"X","cat":"Kernel","args":{"device":0,"stream":13,
     "correlation id":7,"start_time":"15.500 us","end_time":"18.500 us"}},
    {"name":"launch","id":7,"pid":5,"tid":"6(C++)","ts":1700000000000012,
     "ph":"s","cat":"async"},
    {"name":"[memory]","pid":5,"tid":"6(C++)","ts":1700000000000014,"ph":"i",
     "cat":"ReservedAllocate","s":"t","args":{"place":"Place(gpu:0)",
     "addr":"139","increase_bytes":512,"current_allocated":1024,
     "current_reserved":2048}},
    {}], "ExtraInfo": {"Process Cpu Utilization": "1.2"}})J");
  EXPECT_EQ(trace->format(), "paddle");
  EXPECT_EQ(LedgerLine(*trace), "kept 7");
  const Row step = RowNamed(*trace, "ProfileStep#1");
  const Row op = RowNamed(*trace, "conv2d");
  EXPECT_EQ(trace->track()[step], trace->track()[op]);
  EXPECT_EQ(trace->nesting().parent[op], step);
  EXPECT_EQ(trace->dur_ns()[step], 900500);
  EXPECT_EQ(trace->dur_ns()[op], 12345);
  EXPECT_EQ(trace->start_ns()[op] - trace->start_ns()[step], 10250);
  EXPECT_EQ(trace->str(trace->args_of(op)[0].key), "input_shapes");
  EXPECT_EQ(trace->raw_args(op), "");
  EXPECT_EQ(TrackOf(*trace, "kern").kind, TrackKind::kStream);
  EXPECT_EQ(TrackOf(*trace, "kern").id, 13);
  ASSERT_EQ(trace->links().size(), 2u);
  ASSERT_EQ(trace->memory().size(), 1u);
  EXPECT_EQ(trace->memory()[0].kind, MemoryKind::kReservedAllocate);
  EXPECT_EQ(trace->memory()[0].address, 139u);
  EXPECT_EQ(trace->memory()[0].total_reserved, 2048u);
}

}  // namespace
}  // namespace stepscope::json
