// SPDX-License-Identifier: Apache-2.0
//
// The preview of a capture over HTTP, while its import is held back, against
// the trace that takes its place.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <future>
#include <map>

#include "importers/capture/capture_writer_test_support.h"
#include "server/files/sessions.h"
#include "server/server_test_support.h"
#include "timeline/tile_records.h"

namespace stepscope::server {
namespace {

// 300 outer events, each with 3 inside, on each of two threads.
std::string SmallCapture() {
  capture::CaptureWriter writer;
  writer.Process({{"pid", "7"}, {"name", "made"}});
  writer.Clock(format::ClockKind::kTsc, 0,
               {capture::MakeAnchor(1000, 0),
                capture::MakeAnchor(10'001'000, 10'000'000)});
  writer.Names({{2, STEPSCOPE_OPERATOR, "outer"},
                {3, STEPSCOPE_OPERATOR_INNER, "inner"}});
  for (uint32_t uid = 1; uid <= 2; ++uid) {
    writer.Thread(capture::MakeThread(uid, 10 + uid, "thread"));
    capture::SlotList slots;
    for (uint32_t i = 0; i < 300; ++i) {
      const uint64_t tick = 1000 + i * 5'000 + uid;
      slots.Event(tick, 4'000, 2);
      for (uint32_t j = 0; j < 3; ++j) slots.Event(tick + j * 1000, 500, 3);
    }
    writer.Events(uid, 0, uid, uid, 0, slots.slots());
  }
  writer.End(10'001'000);
  return writer.bytes();
}

// From here to the end, without what only an exact trace knows.
std::string TracksOf(const std::string& trace) {
  const size_t at = trace.find("\"groups\"");
  const size_t end = trace.find("\"steps\"");
  return at < end && end != trace.npos ? trace.substr(at, end - at) : trace;
}

// Events by slot and depth.
std::map<std::pair<int, int>, int> CountsOf(const std::string& answer) {
  const std::string body = BodyOf(answer);
  std::map<std::pair<int, int>, int> counts;
  uint32_t records = 0, first = 0;
  if (body.size() < 32) return counts;
  std::memcpy(&records, body.data() + 24, 4);
  std::memcpy(&first, body.data() + 28, 4);
  for (uint32_t i = 0; i < records; ++i) {
    TileRecord record;
    if (first + (i + 1) * sizeof record > body.size()) break;
    std::memcpy(&record, body.data() + first + i * sizeof record,
                sizeof record);
    if ((record.kind & kTileBeginsBefore) == 0)
      counts[{record.slot, record.depth}] += record.count;
  }
  return counts;
}

TEST(PreviewServerTest, ServesItUntilTheTraceIsThere) {
  const TestFolder folder;
  folder.Write("a.sscap", SmallCapture());
  std::promise<void> gate;
  TestServer server(folder.path());
  (*server).sessions().SetPreviews(
      1, [&, held = gate.get_future().share()] { held.wait(); });
  const std::string id = TextOf(server.Api("runs"), "t");
  server.Api("open?t=" + id, "POST");
  OpenProgress progress;
  while (!progress.preview && progress.state != OpenState::kFailed)
    progress = (*server).sessions().WaitForNews(id, progress.change,
                                                std::chrono::seconds(1));
  ASSERT_EQ(progress.state, OpenState::kLoading);

  const std::string of = "?t=" + id + "&preview=1";
  EXPECT_NE(server.Api("open?t=" + id, "POST").find("\"preview\":true"),
            std::string::npos);
  const std::string preview = server.Api("trace" + of);
  EXPECT_EQ(StatusOf(preview), 200);
  EXPECT_NE(preview.find("\"preview\":{\"read\":2400,\"events\":2400}"),
            std::string::npos)
      << preview;
  EXPECT_NE(server.Api("names" + of).find("\"inner\""), std::string::npos);
  const std::string mark =
      server.Api("mark" + of + "&track=0&depth=1&t0=0&t1=1000000000");
  EXPECT_NE(mark.find("\"events\":900"), std::string::npos) << mark;
  // What needs the trace says so.
  for (const char* const request : {"trace", "names", "summary", "advise"}) {
    const std::string answer = server.Api(std::string(request) + "?t=" + id);
    EXPECT_EQ(StatusOf(answer), 409) << request;
    EXPECT_NE(answer.find("only a preview"), std::string::npos) << answer;
  }
  // 10 ms are 2,441 buckets of level 12.
  const std::string tiles = "&i0=0&i1=9&tracks=0-1&k=";
  EXPECT_EQ(StatusOf(server.Api("tiles" + of + tiles + "11")), 400);
  EXPECT_EQ(StatusOf(server.Api("tiles" + of + "&i0=0&i1=9&tracks=5&k=12")),
            400);
  std::map<int, std::map<std::pair<int, int>, int>> coarse;
  for (const int k : {12, 13, 20, 52})
    coarse[k] = CountsOf(server.Api("tiles" + of + tiles + std::to_string(k)));

  gate.set_value();
  while (progress.state == OpenState::kLoading)
    progress = (*server).sessions().WaitForNews(id, progress.change,
                                                std::chrono::seconds(1));
  ASSERT_EQ(progress.state, OpenState::kReady) << progress.error;
  EXPECT_FALSE(progress.preview);
  const std::string exact = server.Api("trace?t=" + id);
  EXPECT_NE(exact.find("\"preview\":null"), std::string::npos);
  EXPECT_EQ(TracksOf(exact), TracksOf(preview));
  EXPECT_EQ(TextOf(exact, "origin_ns"), TextOf(preview, "origin_ns"));
  const auto span = [](const std::string& json) {
    return json.substr(json.find("\"span_ns\""), 24);
  };
  EXPECT_EQ(span(exact), span(preview));
  for (const auto& [k, counts] : coarse) {
    EXPECT_EQ(counts.size(), 4u) << k;
    EXPECT_EQ(counts,
              CountsOf(server.Api("tiles?t=" + id + tiles + std::to_string(k))))
        << k;
  }
  // Who still draws from the preview can go on.
  EXPECT_EQ(StatusOf(server.Api("tiles" + of + tiles + "12")), 200);
}

TEST(PreviewServerTest, CancellingTakesItAway) {
  const TestFolder folder;
  folder.Write("a.sscap", SmallCapture());
  std::promise<void> gate;
  TestServer server(folder.path());
  Sessions& sessions = (*server).sessions();
  sessions.SetPreviews(1,
                       [&, held = gate.get_future().share()] { held.wait(); });
  const std::string id = TextOf(server.Api("runs"), "t");
  server.Api("open?t=" + id, "POST");
  OpenProgress progress;
  while (!progress.preview)
    progress =
        sessions.WaitForNews(id, progress.change, std::chrono::seconds(1));
  server.Api("cancel?t=" + id, "POST");
  gate.set_value();
  while (progress.state == OpenState::kLoading)
    progress =
        sessions.WaitForNews(id, progress.change, std::chrono::seconds(1));
  EXPECT_EQ(progress.state, OpenState::kNew);
  EXPECT_EQ(StatusOf(server.Api("trace?preview=1&t=" + id)), 409);
}

TEST(PreviewServerTest, SmallTracesHaveNone) {
  const TestFolder folder;
  folder.Write("a.sscap", SmallCapture());
  const TestServer server(folder.path());
  const std::string id = TextOf(server.Api("runs"), "t");
  EXPECT_EQ(Open(server, id), "ready");
  EXPECT_EQ(StatusOf(server.Api("trace?preview=1&t=" + id)), 409);
}

}  // namespace
}  // namespace stepscope::server
