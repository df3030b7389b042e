// SPDX-License-Identifier: Apache-2.0
//
// The list of what a search finds: all tracks in one order of time.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

class HitsTest : public testing::Test {
 protected:
  // Events of two threads that take turns, and one of another name.
  static std::string Text(int pairs) {
    std::string text = "{\"traceEvents\":[";
    for (int thread = 0; thread < 2; ++thread)
      for (int i = 0; i < pairs; ++i)
        text += "{\"ph\":\"X\",\"pid\":1,\"cat\":\"cpu_op\",\"tid\":" +
                std::to_string(thread) +
                ",\"dur\":1,\"ts\":" + std::to_string(4 * i + 2 * thread) +
                ",\"name\":\"work\"},";
    return text + R"({"ph":"X","pid":1,"tid":5,"ts":0,"dur":1,"name":"x"}]})";
  }
  std::string Hits(int pairs, const std::string& query) {
    folder_.Write("a.json", Text(pairs));
    TestServer server(folder_.path());
    const std::string id = TextOf(server.Api("runs"), "t");
    EXPECT_EQ(Open(server, id), "ready");
    return BodyOf(server.Api("hits?q=" + query + "&t=" + id));
  }
  static std::vector<int64_t> Starts(const std::string& json) {
    std::vector<int64_t> starts;
    for (size_t at = json.find("\"start\":"); at != json.npos;
         at = json.find("\"start\":", at + 1))
      starts.push_back(std::atoll(json.c_str() + at + 8));
    return starts;
  }
  const TestFolder folder_;
};

TEST_F(HitsTest, AreInTheOrderOfTimeOverAllTracks) {
  const std::string json = Hits(3, "WOR");
  EXPECT_TRUE(json.starts_with("{\"count\":6,")) << json;
  EXPECT_EQ(Starts(json),
            (std::vector<int64_t>{0, 2000, 4000, 6000, 8000, 10000}));
}

TEST_F(HitsTest, OfTooManyTheFirstAreListed) {
  const std::string json = Hits(4000, "work");
  EXPECT_TRUE(json.starts_with("{\"count\":8000,"));
  const std::vector<int64_t> starts = Starts(json);
  ASSERT_EQ(starts.size(), 5000u);
  for (size_t i = 0; i < starts.size(); ++i)
    ASSERT_EQ(starts[i], static_cast<int64_t>(i) * 2000);
}

TEST_F(HitsTest, NothingFoundIsAnEmptyListAndABadPatternAnError) {
  EXPECT_EQ(Hits(1, "absent"), R"({"count":0,"rows":[]})");
  EXPECT_NE(Hits(1, "/a%7B9%7D/").find("counts"), std::string::npos);
}

}  // namespace
}  // namespace stepscope::server
