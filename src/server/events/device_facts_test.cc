// SPDX-License-Identifier: Apache-2.0
//
// What is said of devices: curves of shares, and facts of their work.
#include <gtest/gtest.h>

#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

// Two streams of one device: busy from 0 to 150, 200 to 300 and 400 to 500 us.
constexpr const char* kDevice = R"({"schemaVersion":1,"deviceProperties":[],
  "traceEvents":[
  {"ph":"X","cat":"kernel","name":"half","pid":0,"tid":7,"ts":0,"dur":100,
   "args":{"device":0,"stream":7,"grid":[64,1,1],"block":[128,1,1],
   "registers per thread":32,"shared memory":2048,
   "est. achieved occupancy %":50}},
  {"ph":"X","cat":"kernel","name":"full","pid":0,"tid":8,"ts":50,"dur":100,
   "args":{"device":0,"stream":8,"est. achieved occupancy %":100}},
  {"ph":"X","cat":"kernel","name":"untold","pid":0,"tid":7,"ts":200,"dur":100,
   "args":{"device":0,"stream":7,"est. achieved occupancy %":0}},
  {"ph":"X","cat":"gpu_memcpy","name":"copy","pid":0,"tid":8,"ts":400,
   "dur":100,"args":{"device":0,"stream":8,"bytes":1048576}},
  {"ph":"X","cat":"cpu_op","name":"host","pid":3,"tid":4,"ts":0,"dur":500}]})";

class DeviceFactsTest : public testing::Test {
 protected:
  DeviceFactsTest() : server_(Written()) {
    id_ = TextOf(server_.Api("runs"), "t");
    EXPECT_EQ(Open(server_, id_), "ready");
    trace_ = Get("trace?");
  }
  const std::filesystem::path& Written() {
    folder_.Write("a.json", kDevice);
    return folder_.path();
  }
  std::string Get(const std::string& request) const {
    return BodyOf(server_.Api(request + "&t=" + id_));
  }
  // The number of the only track of a kind; -1: there is none, or several.
  int TrackOf(const std::string& kind) const {
    const std::string is = "\"kind\":\"" + kind + "\"";
    const size_t at = trace_.find(is);
    if (at == trace_.npos || trace_.find(is, at + 1) != trace_.npos) return -1;
    return std::atoi(trace_.c_str() + trace_.rfind("{\"id\":", at) + 6);
  }
  std::string Curve(const std::string& kind) const {
    return Get("counter?track=" + std::to_string(TrackOf(kind)) +
               "&t0=0&t1=500000&px=5");
  }
  std::string FactsOfEvent(const std::string& name) const {
    const std::string found = Get("find?q=" + name);
    const size_t row = found.find("\"row\":");
    const std::string event =
        Get("event?row=" + std::to_string(std::atoi(found.c_str() + row + 6)));
    const size_t at = event.find("\"facts\":[");
    return event.substr(at, event.find(']', event.find("\"args\"")) - at);
  }

  TestFolder folder_;
  TestServer server_;
  std::string id_;
  std::string trace_;
};

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
std::string Fact(const std::string& label, const std::string& value) {
  return "{\"label\":\"" + label + "\",\"value\":\"" + value + "\"}";
}

TEST_F(DeviceFactsTest, BusyIsTheShareOfEachPixel) {
  ASSERT_GE(TrackOf("busy"), 0) << trace_;
  const std::string curve = Curve("busy");
  EXPECT_TRUE(Has(curve, "\"t\":[0,100000,200000,300000,400000]")) << curve;
  EXPECT_TRUE(Has(curve, "\"last\":[1,0.5,1,0,1]")) << curve;
  EXPECT_TRUE(Has(trace_, "\"unit\":\"share\"")) << trace_;
}

TEST_F(DeviceFactsTest, OccupancyIsTheMeanOfTheKernelsThatStateIt) {
  ASSERT_GE(TrackOf("occupancy"), 0) << trace_;
  const std::string curve = Curve("occupancy");
  // 100 us of a half and 50 of one; then the rest of that; then nothing.
  EXPECT_TRUE(Has(curve, "\"t\":[0,100000,200000]")) << curve;
  EXPECT_TRUE(Has(curve, "\"last\":[0.66666")) << curve;
  EXPECT_TRUE(Has(curve, ",1,null],\"lowest\":0,\"highest\":1")) << curve;
}

// Whoever states an occupancy may do so late.
TEST(OccupancyTrackTest, IsThereWhenOnlyTheLastKernelStatesOne) {
  std::string trace = "{\"schemaVersion\":1,\"traceEvents\":[";
  constexpr int kKernels = 5000;
  for (int i = 0; i < kKernels; ++i) {
    trace +=
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,"
        "\"tid\":7,\"ts\":" +
        std::to_string(i * 10) +
        ",\"dur\":5,\"args\":{\"device\":0,\"stream\":7,"
        "\"est. achieved occupancy %\":" +
        (i + 1 == kKernels ? "25" : "0") + "}}" +
        (i + 1 == kKernels ? "]}" : ",");
  }
  const TestFolder folder;
  folder.Write("a.json", trace);
  const TestServer server(folder.path());
  const std::string id = TextOf(server.Api("runs"), "t");
  ASSERT_EQ(Open(server, id), "ready");
  const std::string tracks = BodyOf(server.Api("trace?t=" + id));
  EXPECT_TRUE(Has(tracks, "\"kind\":\"occupancy\"")) << tracks;
}

TEST_F(DeviceFactsTest, APartOfACurveIsThatPart) {
  const std::string busy = std::to_string(TrackOf("busy"));
  const std::string curve =
      Get("counter?track=" + busy + "&t0=135000&t1=175000&px=2");
  EXPECT_TRUE(Has(curve, "\"t\":[135000,155000]")) << curve;
  EXPECT_TRUE(Has(curve, "\"last\":[0.75,0]")) << curve;
  const std::string beyond =
      Get("counter?track=" + busy + "&t0=900000&t1=960000&px=2");
  EXPECT_TRUE(Has(beyond, "\"t\":[]")) << beyond;
}

TEST_F(DeviceFactsTest, AKernelSaysHowItWasLaunched) {
  const std::string facts = FactsOfEvent("half");
  EXPECT_TRUE(Has(facts, Fact("Stream", "7"))) << facts;
  EXPECT_TRUE(Has(facts, Fact("Occupancy (estimate)", "50 %"))) << facts;
  EXPECT_TRUE(Has(facts, Fact("Grid", "64, 1, 1"))) << facts;
  EXPECT_TRUE(Has(facts, Fact("Block", "128, 1, 1"))) << facts;
  EXPECT_TRUE(Has(facts, Fact("Registers per thread", "32"))) << facts;
  EXPECT_TRUE(Has(facts, Fact("Shared memory", "2.00 KiB"))) << facts;
  EXPECT_FALSE(Has(FactsOfEvent("untold"), "Occupancy (estimate)"));
}

TEST_F(DeviceFactsTest, ACopySaysHowFastItIs) {
  const std::string facts = FactsOfEvent("copy");
  EXPECT_TRUE(Has(facts, Fact("Bytes", "1.00 MiB"))) << facts;
  EXPECT_TRUE(Has(facts, Fact("Bandwidth", "10.49 GB/s"))) << facts;
  EXPECT_TRUE(Has(FactsOfEvent("host"), "\"facts\":[],")) << facts;
}

}  // namespace
}  // namespace stepscope::server
