// SPDX-License-Identifier: Apache-2.0
#include "importers/rocprofiler/rocprofiler_importer.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <string>

#include "importers/input/input_source.h"

namespace stepscope {
namespace {

// One launch on the second GPU, a copy to it, a range, and what is odd.
constexpr std::string_view kDocument = R"json({
 "rocprofiler-sdk-tool": [{
  "metadata": {"pid": 77, "init_time": 1, "fini_time": 900},
  "agents": [{"id": {"handle": 11}, "type": 1, "logical_node_type_id": 0},
             {"id": {"handle": 12}, "type": 2, "logical_node_type_id": 1}],
  "strings": {
   "buffer_records": [
    {"kind": "NONE", "operations": ["NONE"]},
    {"kind": "HIP_RUNTIME_API", "operations": ["NONE", "hipLaunchKernel"]},
    {"kind": "KERNEL_DISPATCH", "operations": ["NONE", "COMPLETE"]},
    {"kind": "MEMORY_COPY", "operations": ["NONE", "HOST_TO_DEVICE"]}],
   "marker_api": [{"key": 5, "value": "train step"}]},
  "kernel_symbols": [{"kernel_id": 3, "kernel_name": "_Z1fv.kd",
                      "formatted_kernel_name": "f()"}],
  "buffer_records": {
   "kernel_dispatch": [
    {"kind": 2, "operation": 1, "correlation_id": {"internal": 8},
     "start_timestamp": 120, "end_timestamp": 150,
     "dispatch_info": {"agent_id": {"handle": 12}, "queue_id": {"handle": 2},
      "kernel_id": 3, "workgroup_size": {"x": 64, "y": 1, "z": 1},
      "grid_size": {"x": 6400, "y": 1, "z": 1}}}],
   "hip_api": [
    {"kind": 1, "operation": 1, "correlation_id": {"internal": 8},
     "thread_id": 78, "start_timestamp": 100, "end_timestamp": 110},
    {"kind": 1, "operation": 1, "thread_id": 78},
    {"kind": 9, "operation": 9, "thread_id": 78, "start_timestamp": 120,
     "end_timestamp": 119}],
   "marker_api": [
    {"kind": 0, "operation": 0, "correlation_id": {"internal": 5},
     "thread_id": 78, "start_timestamp": 90, "end_timestamp": 200}],
   "memory_copy": [
    {"kind": 3, "operation": 1, "correlation_id": {"internal": 9},
     "start_timestamp": 20, "end_timestamp": 60, "bytes": 4096,
     "dst_agent_id": {"handle": 12}, "src_agent_id": {"handle": 11}}]}}]})json";

Result<std::shared_ptr<const Trace>> Read(std::string_view text) {
  const auto input = InputSource::FromBytes(
      std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()),
      "a.json");
  TraceBuilder builder;
  STEPSCOPE_TRY(RocprofilerImporter().Import(**input, {}, builder));
  return builder.Finish();
}

Row Named(const Trace& trace, std::string_view name) {
  for (Row row = 0; row < trace.size(); ++row)
    if (trace.str(trace.name()[row]) == name) return row;
  ADD_FAILURE() << "no event " << name;
  return 0;
}

TEST(RocprofilerTest, RecordsBecomeCallsKernelsCopiesAndRanges) {
  const auto read = Read(kDocument);
  ASSERT_TRUE(read) << read.error().message;
  const Trace& trace = **read;
  EXPECT_EQ(trace.format(), "rocprofiler");
  ASSERT_EQ(trace.processes().size(), 1u);
  EXPECT_EQ(trace.processes()[0].pid, 77);
  EXPECT_EQ(trace.size(), 5u);
  const Row kernel = Named(trace, "f()");
  EXPECT_EQ(trace.type()[kernel], STEPSCOPE_KERNEL);
  EXPECT_EQ(trace.start_ns()[kernel], 120);
  EXPECT_EQ(trace.dur_ns()[kernel], 30);
  const Track& stream = trace.tracks()[trace.track()[kernel]];
  EXPECT_EQ(stream.kind, TrackKind::kStream);
  EXPECT_EQ(stream.device, 1);
  EXPECT_EQ(stream.id, 2);
  EXPECT_EQ(trace.args_of(kernel).size(), 2u);
  const Row call = Named(trace, "hipLaunchKernel");
  EXPECT_EQ(trace.type()[call], STEPSCOPE_CUDA_RUNTIME);
  EXPECT_EQ(trace.tracks()[trace.track()[call]].id, 78);
  const Row range = Named(trace, "train step");
  EXPECT_EQ(trace.type()[range], STEPSCOPE_USER_DEFINED);
  EXPECT_EQ(trace.nesting().parent[call], range);
  const Row copy = Named(trace, "HOST_TO_DEVICE");
  EXPECT_EQ(trace.type()[copy], STEPSCOPE_MEMCPY);
  EXPECT_EQ(trace.tracks()[trace.track()[copy]].device, 1);
  EXPECT_EQ(trace.links().size(), 4u);
}

TEST(RocprofilerTest, GridsOfAnySize) {
  const auto first_block = [](const std::string& threads) -> int64_t {
    const auto trace = Read(
        R"({"rocprofiler-sdk-tool": {"buffer_records": {"kernel_dispatch": [
        {"start_timestamp": 1, "end_timestamp": 2, "dispatch_info": {
         "workgroup_size": {"x": 7, "y": 1, "z": 1},
         "grid_size": {"x": )" +
        threads + R"(, "y": 1, "z": 1}}}]}}})");
    EXPECT_TRUE(trace);
    if ((*trace)->args().empty()) return -1;
    return (*trace)->arg_ints()[(*trace)->args()[0].list_first];
  };
  EXPECT_EQ(first_block("14"), 2);
  EXPECT_EQ(first_block("15"), 3);
  EXPECT_EQ(first_block("9223372036854775807"), 1317624576693539401);
  EXPECT_EQ(first_block("18446744073709551615"), -1);  // nothing is shown
}

TEST(RocprofilerTest, EveryRecordIsInOneBin) {
  const auto trace = *Read(kDocument);
  const Ledger& ledger = trace->ledger();
  EXPECT_EQ(ledger.seen(), 6u);
  EXPECT_EQ(ledger.kept(), 4u);
  EXPECT_EQ(ledger.repaired().at("end before start").count, 1u);
  EXPECT_EQ(ledger.rejected().at("record without a time").count, 1u);
}

TEST(RocprofilerTest, OnlySuchDocumentsAreRecognised) {
  const auto sniff = [](std::string_view text) {
    return RocprofilerImporter().Sniff(
        std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  };
  EXPECT_TRUE(sniff(kDocument));
  EXPECT_TRUE(sniff("{\"rocprofiler-sdk-json-tool\": {}}"));
  EXPECT_FALSE(sniff("{\"traceEvents\": \"rocprofiler-sdk-tool\"}"));
  EXPECT_FALSE(sniff("[]"));
  EXPECT_FALSE(sniff(""));
}

TEST(RocprofilerTest, DamagedDocumentsAreRefusedInOneLine) {
  for (size_t size : {30, 200, 900}) {
    const auto trace = Read(kDocument.substr(0, size));
    ASSERT_FALSE(trace) << size;
    EXPECT_EQ(trace.error().code, ErrorCode::kCorrupt);
    EXPECT_EQ(trace.error().message.find("a.json: byte 0: "), 0u);
  }
  for (const char* odd :
       {R"({"rocprofiler-sdk-tool": 7})", R"({"rocprofiler-sdk-tool": []})",
        R"({"rocprofiler-sdk-tool": [{"buffer_records": {"a": [7, {}]}}]})",
        R"({"rocprofiler-sdk-tool": [{"agents": 1, "strings": []}]})"}) {
    const auto trace = Read(odd);
    ASSERT_TRUE(trace) << odd;
    EXPECT_EQ((*trace)->size(), 0u);
  }
}

}  // namespace
}  // namespace stepscope
