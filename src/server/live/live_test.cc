// SPDX-License-Identifier: Apache-2.0
//
// A capture into which a process still records, as a server shows it: this
// test is that process, since it maps the ring.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "importers/capture/live_place.h"
#include "importers/capture/sample_capture_test_support.h"
#include "server/live/live_answer.h"
#include "server/server_test_support.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

class RecordingTest : public testing::Test {
 protected:
  RecordingTest() {
    setenv("STEPSCOPE_LIVE_DIR", rings_.path().c_str(), 1);
    const capture::KilledSample sample =
        capture::MakeRecordingSample(static_cast<uint32_t>(getpid()));
    rings_.Write("x.sscap.live", sample.live);
    folder_.Write("x.sscap", sample.capture.bytes);
    fs::create_symlink(ring(), folder_.path() / "x.sscap.live");
    const int fd = open(ring().c_str(), O_RDONLY | O_CLOEXEC);
    bytes_ = sample.live.size();
    mapped_ = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
  }
  ~RecordingTest() override {
    EndRecording();
    unsetenv("STEPSCOPE_LIVE_DIR");
  }

  std::string ring() const {
    return (fs::canonical(rings_.path()) / "x.sscap.live").string();
  }
  // The process is somewhere else now.
  void EndRecording() {
    if (mapped_ != MAP_FAILED) munmap(mapped_, bytes_);
    mapped_ = MAP_FAILED;
  }

  const TestFolder rings_;
  const TestFolder folder_;
  void* mapped_ = MAP_FAILED;
  size_t bytes_ = 0;
};

TEST_F(RecordingTest, IsToldFromOneThatWasKilled) {
  const std::string path = (fs::canonical(folder_.path()) / "x.sscap").string();
  EXPECT_TRUE(capture::IsBeingRecorded(path));
  EndRecording();
  EXPECT_FALSE(capture::IsBeingRecorded(path));
}

TEST_F(RecordingTest, IsOpenWithWhatIsInItsRing) {
  const TestServer server(folder_.path());
  const std::string runs = server.Api("runs");
  EXPECT_NE(runs.find(R"("recording":true,"changed":false)"), runs.npos)
      << runs;
  const std::string id = TextOf(runs, "t");
  EXPECT_EQ(Open(server, id), "ready");
  const std::string trace = server.Api("trace?t=" + id);
  EXPECT_NE(trace.find(R"("complete":false,"recording":true)"), trace.npos)
      << trace;
  // Those of the capture alone are six.
  EXPECT_NE(trace.find(R"("events":11,)"), trace.npos) << trace;
  EXPECT_NE(trace.find("is still recording"), trace.npos) << trace;
  const std::string live = server.Api("live?t=" + id);
  EXPECT_NE(live.find(R"({"recording":true,)"), live.npos) << live;
  EXPECT_NE(live.find(R"("events":11,)"), live.npos) << live;
}

TEST_F(RecordingTest, IsNoLongerUpToDateWhenItEnds) {
  const TestServer server(folder_.path());
  const std::string id = TextOf(server.Api("runs"), "t");
  EXPECT_EQ(Open(server, id), "ready");
  EndRecording();
  // The server looks once a second.
  std::string runs;
  while (runs.find(R"("recording":false,"changed":true)") == runs.npos) {
    ASSERT_NE((runs = server.Api("runs")).find(id), runs.npos);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_NE(server.Api("live?t=" + id).find(R"({"recording":false,)"),
            std::string::npos);
  EXPECT_EQ(Open(server, id), "ready");
  EXPECT_NE(server.Api("runs").find(R"("recording":false,"changed":false)"),
            std::string::npos);
  EXPECT_NE(server.Api("trace?t=" + id).find(R"("recording":false)"),
            std::string::npos);
}

TEST_F(RecordingTest, OfWhichTooMuchIsWrittenIsNotReadAgainAndAgain) {
  Window window;
  window.id = "a";
  window.path = (fs::canonical(folder_.path()) / "x.sscap").string();
  window.format = "capture";
  window.identity.bytes = 5000;
  window.recording = true;
  LiveAnswers small(4999);
  EXPECT_NE(small.Answer(window)->find(R"("bytes":5000,"state":null)"),
            std::string::npos);
  LiveAnswers large(5000);
  EXPECT_EQ(large.Answer(window)->find(R"("state":null)"), std::string::npos);
}

TEST_F(RecordingTest, IsReadOnceForAllWhoAsk) {
  Window window;
  window.id = "a";
  window.path = (fs::canonical(folder_.path()) / "x.sscap").string();
  window.recording = true;
  LiveAnswers answers(LiveAnswers::kMostBytes, std::chrono::hours(1));
  const std::string first = *answers.Answer(window);
  // It would say so if it were looked at again.
  fs::remove(window.path);
  EXPECT_EQ(*answers.Answer(window), first);
}

TEST(LiveStateTest, StepsCountersAndWhatIsOpen) {
  const auto trace = TraceFromText(R"t(
    thread 7 main
      100..200 ProfileStep#3 ProfileStep
      200..250 ProfileStep#4 ProfileStep open
    counter 110 loss 0.5
    counter 150 loss 0.25)t");
  JsonWriter json;
  WriteLiveState(json, *trace);
  const std::string text = json.Take();
  EXPECT_NE(text.find(R"("events":2,"span_ns":150,"lost":0,)"), text.npos)
      << text;
  EXPECT_NE(text.find(R"("step_count":2,"steps":[)"
                      R"({"index":3,"start":0,"dur":100,"open":false},)"
                      R"({"index":4,"start":100,"dur":50,"open":true}])"),
            text.npos)
      << text;
  EXPECT_NE(text.find(R"("counters":[{"name":"loss","last":0.25,"min":0.25,)"
                      R"("max":0.5,"t":[10,50],"values":[0.5,0.25]}])"),
            text.npos)
      << text;
}

// A file that is written anew while it is open is another one.
TEST(ChangedFileTest, IsSaidToBeOutdatedUntilItIsOpenedAgain) {
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(3));
  const TestServer server(folder.path());
  const std::string id = TextOf(server.Api("runs"), "t");
  EXPECT_EQ(Open(server, id), "ready");
  EXPECT_NE(server.Api("runs").find(R"("changed":false)"), std::string::npos);
  folder.Write("a.json", ChromeTrace(30));
  std::string runs;
  while (runs.find(R"("changed":true)") == runs.npos) {
    ASSERT_NE((runs = server.Api("runs")).find(id), runs.npos);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(Open(server, id), "ready");
  EXPECT_NE(server.Api("runs").find(R"("changed":false)"), std::string::npos);
}

}  // namespace
}  // namespace stepscope::server
