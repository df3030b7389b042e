// SPDX-License-Identifier: Apache-2.0
#include "exporters/cuda_profile/cuda_profile.h"

#include <gtest/gtest.h>

#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr char kTrace[] = R"(
thread 1 main
  0..100 launch CudaRuntime
stream 7 GPU:0
  300..1500 "gemm<a, b>" Kernel grid=[4,2,1] block=[256,1,1] "shared memory"=96
stream 9 GPU:1
  100..250 MEMCPY_HtoD Memcpy bytes=4096
  1600..1700 "=1+1" Kernel
)";

Result<std::string> Write(const ExportOptions& options) {
  MemorySink sink;
  STEPSCOPE_TRY(
      CudaProfileExporter().Export(*TraceFromText(kTrace), options, sink));
  return sink.TakeText();
}

TEST(CudaProfile, CsvWithTheDefaultOptions) {
  const auto text = Write({});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "gpustarttimestamp,gpuendtimestamp,gridsizeX,gridsizeY,gridsizeZ,"
            "threadblocksizeX,threadblocksizeY,threadblocksizeZ,streamid,"
            "method\n"
            "100,250,,,,,,,9,MEMCPY_HtoD\n"
            "300,1500,4,2,1,256,1,1,7,\"gemm<a, b>\"\n"
            "1600,1700,,,,,,,9,'=1+1\n");
}

TEST(CudaProfile, KeyValuePairs) {
  ExportOptions options;
  options.cuda_mode = "kvp";
  options.cuda_config = {
      "# comment",       "",       " gridsize ", "streamid", "memtransfersize",
      "enableonstart 0", "gputime"};
  const auto text = Write(options);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "streamid=[ 9 ] memtransfersize=[ 4096 ] gputime=[ 0.150 ] "
            "method=[ MEMCPY_HtoD ]\n"
            "gridsize=[ 4, 2 ] streamid=[ 7 ] gputime=[ 1.200 ] "
            "method=[ gemm<a, b> ]\n"
            "streamid=[ 9 ] gputime=[ 0.100 ] method=[ =1+1 ]\n");
}

TEST(CudaProfile, WhatIsUnknownIsRefusedByName) {
  ExportOptions options;
  options.cuda_config = {"gridsize3d", "l1_cache_hits"};
  auto text = Write(options);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("\"l1_cache_hits\""), std::string::npos);
  options.cuda_config.clear();
  options.cuda_mode = "xml";
  text = Write(options);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("\"xml\""), std::string::npos);
}

}  // namespace
}  // namespace stepscope
