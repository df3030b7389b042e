// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/host_busy.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include "server/server_test_support.h"
#include "trace/build/trace_builder.h"

namespace stepscope::server {
namespace {

uint32_t AddThread(TraceBuilder& builder, int64_t id,
                   TrackKind kind = TrackKind::kThread) {
  Track track;
  track.kind = kind;
  track.id = id;
  return builder.AddTrack(track);
}

void AddEvent(TraceBuilder& builder, uint32_t track, int64_t start, int64_t dur,
              uint16_t type = STEPSCOPE_OPERATOR) {
  builder.AddEvent({track, start, dur, builder.Intern("event"), type, 0});
}

TEST(HostBusyTest, IsTheMeanOfAllThreadsWithoutTheirSteps) {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t main = AddThread(builder, 1);
  AddEvent(builder, main, 1000, 400, STEPSCOPE_PROFILE_STEP);
  AddEvent(builder, main, 1000, 150);
  AddEvent(builder, main, 1010, 20);  // inside
  AddEvent(builder, main, 1300, 50);
  const uint32_t other = AddThread(builder, 2);
  AddEvent(builder, other, 1000, 100);
  // A thread that has nothing but steps is not one that could be busy.
  AddEvent(builder, AddThread(builder, 3), 1000, 400, STEPSCOPE_PROFILE_STEP);
  const auto trace = *builder.Finish();
  EXPECT_EQ(HostBusyJson(*trace, 1000, 1000, 1400, 4),
            "{\"t\":[0,100,200,300],\"min\":[1,0.25,0,0.25],"
            "\"max\":[1,0.25,0,0.25],\"last\":[1,0.25,0,0.25],"
            "\"lowest\":0,\"highest\":1}");
  // A part of it, and events that reach beyond that part.
  EXPECT_EQ(HostBusyJson(*trace, 1000, 1120, 1160, 2),
            "{\"t\":[120,140],\"min\":[0.5,0.25],\"max\":[0.5,0.25],"
            "\"last\":[0.5,0.25],\"lowest\":0,\"highest\":1}");
}

TEST(HostBusyTest, LanesOfAThreadAreOneThread) {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t thread = AddThread(builder, 1);
  AddEvent(builder, thread, 0, 100);
  AddEvent(builder, thread, 50, 100);  // overlaps: gets a lane of its own
  AddEvent(builder, thread, 300, 100);
  const auto trace = *builder.Finish();
  const std::string curve = HostBusyJson(*trace, 0, 0, 400, 4);
  EXPECT_NE(curve.find("\"last\":[1,0.5,0,1]"), curve.npos) << curve;
}

TEST(HostBusyTest, WithoutHostThreadsThereIsNone) {
  TraceBuilder builder;
  builder.AddProcess({});
  AddEvent(builder, AddThread(builder, 7, TrackKind::kStream), 0, 100,
           STEPSCOPE_KERNEL);
  const auto trace = *builder.Finish();
  const std::string none = HostBusyJson(*trace, 0, 0, 100, 10);
  EXPECT_NE(none.find("\"t\":[]"), none.npos) << none;
  EXPECT_EQ(HostBusyJson(*trace, 0, 50, 50, 10), none);
}

TEST(HostBusyTest, IsAnswered) {
  const TestFolder folder;
  folder.Write("a.json", R"({"schemaVersion":1,"traceEvents":[
    {"ph":"X","cat":"cpu_op","name":"a","pid":3,"tid":4,"ts":0,"dur":100},
    {"ph":"X","cat":"cpu_op","name":"b","pid":3,"tid":4,"ts":150,"dur":50}
    ]})");
  const TestServer server(folder.path());
  const std::string id = TextOf(server.Api("runs"), "t");
  ASSERT_EQ(Open(server, id), "ready");
  const std::string curve =
      BodyOf(server.Api("host_busy?t0=0&t1=200000&px=2&t=" + id));
  EXPECT_NE(curve.find("\"last\":[1,0.5]"), curve.npos) << curve;
}

}  // namespace
}  // namespace stepscope::server
