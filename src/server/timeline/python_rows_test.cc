// SPDX-License-Identifier: Apache-2.0
//
// Python's events of a thread are drawn in rows of their own.
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <cstring>
#include <string>
#include <vector>

#include "server/events/event_json.h"
#include "server/files/open_trace.h"
#include "server/timeline/selection.h"
#include "server/timeline/tiles.h"
#include "timeline/tile_records.h"
#include "trace/build/trace_builder.h"

namespace stepscope::server {
namespace {

// train (Python) > forward (Python) > conv (native) > lambda (Python) > call.
class PythonRowsTest : public testing::Test {
 protected:
  PythonRowsTest() : open_(Made()) {}

  static std::shared_ptr<const Trace> Made() {
    TraceBuilder builder;
    builder.AddProcess({});
    Track track;
    track.id = 7;
    track.name = builder.Intern("main");
    const uint32_t thread = builder.AddTrack(track);
    const auto add = [&](const char* name, uint16_t type, int64_t start,
                         int64_t end) {
      EventSpec event;
      event.track = thread;
      event.name = builder.Intern(name);
      event.type = type;
      event.start_ns = start;
      event.dur_ns = end - start;
      builder.AddEvent(event);
    };
    add("train", STEPSCOPE_PYTHON_FUNCTION, 0, 1000);
    add("forward", STEPSCOPE_PYTHON_USER_DEFINED, 100, 900);
    add("conv", STEPSCOPE_OPERATOR, 200, 800);
    add("lambda", STEPSCOPE_PYTHON_OP, 300, 700);
    add("call", STEPSCOPE_CUDA_RUNTIME, 400, 600);
    auto trace = builder.Finish();
    EXPECT_TRUE(trace);
    return *trace;
  }

  const ViewTrack& Named(const std::string& name) const {
    for (const ViewTrack& track : open_.view().tracks)
      if (track.name == name) return track;
    ADD_FAILURE() << "no track " << name;
    return open_.view().tracks[0];
  }
  // Names of the records of a track, by depth.
  std::vector<std::string> Drawn(uint32_t track) const {
    const TilesRequest request = {0, 0, 1, {track}};
    const auto bytes = TilesAnswer(open_, request);
    EXPECT_TRUE(bytes);
    std::vector<std::string> names;
    uint32_t records = 0;
    uint32_t begin = 0;
    std::memcpy(&records, bytes->data() + 24, 4);
    std::memcpy(&begin, bytes->data() + 28, 4);
    for (uint32_t i = 0; i < records; ++i) {
      TileRecord record;
      std::memcpy(&record, bytes->data() + begin + i * sizeof record,
                  sizeof record);
      EXPECT_EQ(record.depth, i);
      names.emplace_back(open_.trace().str(open_.trace().name()[record.row]));
    }
    return names;
  }

  const OpenTrace open_;
};

using Names = std::vector<std::string>;

TEST_F(PythonRowsTest, AreATrackAboveTheNativeOne) {
  ASSERT_EQ(open_.view().tracks.size(), 2u);
  const ViewTrack& python = open_.view().tracks[0];
  const ViewTrack& native = open_.view().tracks[1];
  EXPECT_EQ(python.name, "main · Python");
  EXPECT_EQ(python.events, 3u);
  EXPECT_EQ(python.depth, 3u);
  EXPECT_EQ(python.detail, "thread 7");
  EXPECT_EQ(native.name, "main");
  EXPECT_EQ(native.events, 2u);
  EXPECT_EQ(native.depth, 2u);
  EXPECT_EQ(python.group, native.group);
}

TEST_F(PythonRowsTest, HaveBoxesByTheirOwnDepth) {
  EXPECT_EQ(Drawn(0), (Names{"train", "forward", "lambda"}));
  EXPECT_EQ(Drawn(1), (Names{"conv", "call"}));
}

TEST_F(PythonRowsTest, AreWhereAnEventIsSaidToBe) {
  const char* const expected[] = {
      R"("track":0,"depth":0)", R"("track":0,"depth":1)",
      R"("track":1,"depth":0)", R"("track":0,"depth":2)",
      R"("track":1,"depth":1)"};
  for (Row row = 0; row < open_.trace().size(); ++row)
    EXPECT_NE(EventJson(open_, row).find(expected[row]), std::string::npos)
        << EventJson(open_, row);
}

TEST_F(PythonRowsTest, AreAddedUpByThemselves) {
  const auto mark = MarkJson(open_, 0, 2, 0, 1000);
  ASSERT_TRUE(mark);
  EXPECT_NE(mark->find(R"("top":[{"name":"lambda","events":1,"time":400}])"),
            std::string::npos)
      << *mark;
  const uint32_t python[] = {0};
  const auto some = SelectJson(open_, python, 0, 1000);
  ASSERT_TRUE(some);
  EXPECT_NE(some->find(R"("events":3)"), std::string::npos) << *some;
  EXPECT_EQ(some->find("conv"), std::string::npos) << *some;
  // Of 800 ns, Python's own functions inside take 400.
  const size_t forward = some->find(R"("name":"forward")");
  ASSERT_NE(forward, std::string::npos);
  EXPECT_EQ(some->find(R"("self":400)", forward),
            some->find(R"("self":)", forward))
      << *some;
  const uint32_t both[] = {0, 1};
  const auto all = SelectJson(open_, both, 0, 1000);
  ASSERT_TRUE(all);
  EXPECT_NE(all->find(R"("events":5)"), std::string::npos) << *all;
}

}  // namespace
}  // namespace stepscope::server
