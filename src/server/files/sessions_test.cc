// SPDX-License-Identifier: Apache-2.0
//
// Folders, files that come, change and go, and what is open of them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "importers/registry.h"
#include "report/summary.h"
#include "server/files/folder_scan.h"
#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

TEST(FolderTest, FindsRunsWorkersAndWindows) {
  const TestFolder folder;
  folder.Write("run1/host_7pid_12_time_2026_11_16.json", ChromeTrace(3));
  folder.Write("run1/host_7pid_12_time_2026_11_17.json", ChromeTrace(3));
  folder.Write("run1/rank3.json", ChromeTrace(3));
  folder.Write("run2/deep/er/a.json", ChromeTrace(3));
  folder.Write("notes.txt", "not a trace");
  folder.Write(".hidden/a.json", ChromeTrace(3));
  Folder listed(folder.path().string());
  const auto listing = listed.List();
  ASSERT_EQ(listing->runs.size(), 2u);
  EXPECT_EQ(listing->problem, "");
  const server::Run& run = listing->runs[0];
  EXPECT_EQ(run.name, "run1");
  ASSERT_EQ(run.workers.size(), 2u);
  EXPECT_EQ(run.workers[0].name, "host_7pid_12");
  EXPECT_EQ(run.workers[0].windows.size(), 2u);
  EXPECT_EQ(run.workers[1].rank, 3);
  EXPECT_FALSE(run.all.empty());
  EXPECT_EQ(listing->runs[1].name, "run2/deep/er");
  EXPECT_TRUE(listing->runs[1].all.empty());
  const auto all = listed.Find(run.all);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->windows.size(), 3u);
  // The same ids the next time.
  Folder again(folder.path().string());
  EXPECT_EQ(again.List()->runs[0].workers[0].windows[0].id,
            run.workers[0].windows[0].id);
}

TEST(FolderTest, LinksOutOfTheFolderDoNotExist) {
  const TestFolder folder;
  folder.Write("outside/secret.json", ChromeTrace(3));
  folder.Write("served/a.json", ChromeTrace(3));
  const fs::path served = folder.path() / "served";
  fs::create_symlink("../outside/secret.json", served / "link.json");
  fs::create_directory_symlink("../outside", served / "folder");
  fs::create_directory_symlink(".", served / "loop");
  fs::create_symlink("a.json", served / "inside.json");
  ASSERT_EQ(mkfifo((served / "pipe.json").c_str(), 0600), 0);
  Folder listed(served.string());
  const auto listing = listed.List();
  ASSERT_EQ(listing->runs.size(), 1u);
  std::string files;
  for (const Worker& worker : listing->runs[0].workers)
    for (const Window& window : worker.windows) files += window.file + " ";
  EXPECT_EQ(files, "a.json inside.json ");
  // A file that is swapped for a link after it was listed.
  const Window window = listing->runs[0].workers[0].windows[0];
  EXPECT_TRUE(listed.Check(window));
  fs::remove(served / "a.json");
  fs::create_symlink("../outside/secret.json", served / "a.json");
  EXPECT_FALSE(listed.Check(window));
}

TEST(FolderTest, SaysWhyThereIsNothing) {
  const TestFolder folder;
  EXPECT_EQ(Folder(folder.path().string()).List()->problem,
            "there is no trace in this folder yet");
  folder.Write("a.txt", "text");
  EXPECT_EQ(Folder((folder.path() / "a.txt").string()).List()->problem,
            "a.txt is not a trace that stepscope can read");
  EXPECT_NE(Folder((folder.path() / "gone").string()).List()->problem, "");
}

TEST(FolderTest, NewFilesAreNews) {
  const TestFolder folder;
  Folder listed(folder.path().string());
  const uint64_t before = listed.List()->generation;
  folder.Write("a.json", ChromeTrace(3));
  const uint64_t after = listed.WaitForChange(before, std::chrono::minutes(4));
  EXPECT_NE(after, before);
  EXPECT_EQ(listed.List()->runs.size(), 1u);
}

TEST(SessionsTest, ATraceIsOpenedAndItsNumbersAreThoseOfTheCommand) {
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(50));
  const TestServer server(folder.path());
  const std::string runs = server.Api("runs");
  const std::string id = TextOf(runs, "t");
  EXPECT_EQ(TextOf(runs, "state"), "new");
  EXPECT_EQ(StatusOf(server.Api("summary?t=" + id)), 409);
  ASSERT_EQ(Open(server, id), "ready");
  const auto trace = ImportFile((folder.path() / "a.json").string());
  ASSERT_TRUE(trace);
  TableOptions options;
  options.format = TableFormat::kJson;
  const auto expected = RenderSummaryOfSteps(**trace, options);
  ASSERT_TRUE(expected);
  EXPECT_EQ(BodyOf(server.Api("summary?t=" + id)), *expected);
  const std::string event = BodyOf(server.Api("event?row=7&t=" + id));
  EXPECT_EQ(TextOf(event, "name"), "work");
  EXPECT_NE(event.find("\"start\":70000,\"dur\":5000"), std::string::npos)
      << event;
  EXPECT_NE(event.find("\"calls\":50"), std::string::npos);
  EXPECT_EQ(StatusOf(server.Api("event?row=50&t=" + id)), 400);
  const std::string found = BodyOf(server.Api("find?q=WOR&row=7&t=" + id));
  EXPECT_NE(found.find("\"count\":50,\"names\":1,\"index\":9,\"row\":8"),
            std::string::npos)
      << found;
}

TEST(SessionsTest, AFileThatIsDeletedOrReplaced) {
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(50));
  const TestServer server(folder.path());
  const std::string id = TextOf(server.Api("runs"), "t");
  ASSERT_EQ(Open(server, id), "ready");
  // Open again when it has changed. The listing must have seen the change.
  folder.Write("new.json", ChromeTrace(20, "other"));
  fs::rename(folder.path() / "new.json", folder.path() / "a.json");
  while (Open(server, id) != "ready" ||
         server.Api("trace?t=" + id).find("\"events\":20") ==
             std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  // Deleted: what is open can be looked at.
  fs::remove(folder.path() / "a.json");
  while (server.Api("runs").find("\"runs\":[]") == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(StatusOf(server.Api("trace?t=" + id)), 200);
  EXPECT_EQ(StatusOf(server.Api("open?t=" + id, "POST")), 200);
}

TEST(SessionsTest, ABrokenFileFailsWithoutItsPath) {
  const TestFolder folder;
  folder.Write("a.json", "{\"traceEvents\":[{\"ph\":");
  folder.Write("b.json", ChromeTrace(3));
  const TestServer server(folder.path());
  const std::string runs = server.Api("runs");
  const std::string id = TextOf(runs.substr(runs.find("\"windows\"")), "t");
  const std::string state = Open(server, id);
  EXPECT_TRUE(state == "failed" || state == "ready") << state;
  EXPECT_EQ(server.Api("runs").find(folder.path().string()), std::string::npos);
}

TEST(SessionsTest, WhatWasNotUsedForLongestIsClosed) {
  const TestFolder folder;
  folder.Write("a/a.json", ChromeTrace(50));
  folder.Write("b/b.json", ChromeTrace(50));
  ServerOptions options;
  options.path = folder.path().string();
  options.memory = 1;  // the last one only
  const TestServer server(options);
  const std::string runs = server.Api("runs");
  const std::string a = TextOf(runs, "t");
  const std::string b = TextOf(runs.substr(runs.rfind("\"windows\"")), "t");
  ASSERT_NE(a, b);
  ASSERT_EQ(Open(server, a), "ready");
  ASSERT_EQ(Open(server, b), "ready");
  EXPECT_EQ(StatusOf(server.Api("trace?t=" + a)), 409);
  EXPECT_EQ(StatusOf(server.Api("trace?t=" + b)), 200);
  ASSERT_EQ(Open(server, a), "ready");
  EXPECT_EQ(StatusOf(server.Api("trace?t=" + a)), 200);
}

// A rank whose steps end with an all-reduce, by a clock that is `ahead_us`.
std::string RankTrace(int rank, int64_t ahead_us) {
  std::string json =
      "{\"schemaVersion\":1,\"distributedInfo\":{\"backend\":\"nccl\","
      "\"rank\":" +
      std::to_string(rank) +
      ",\"world_size\":2},\"baseTimeNanoseconds\":1790857026000000000,"
      "\"traceEvents\":[";
  const auto add = [&](const std::string& name, const std::string& place,
                       int64_t ts, int64_t dur) {
    if (!json.ends_with("[")) json += ",";
    json += "{\"ph\":\"X\",\"name\":\"" + name + "\"," + place +
            ",\"ts\":" + std::to_string(ts + ahead_us) +
            ",\"dur\":" + std::to_string(dur) + "}";
  };
  for (int64_t step = 0; step < 20; ++step) {
    const int64_t begin = step * 10'000 + step * step * 20;
    add("ProfilerStep#" + std::to_string(step),
        "\"cat\":\"user_annotation\",\"pid\":" + std::to_string(100 + rank) +
            ",\"tid\":1",
        begin, 9000);
    const int64_t arrive = begin + 6000 + rank * 500;
    add("ncclDevKernel_AllReduce_Sum_f32_RING_LL",
        "\"cat\":\"kernel\",\"pid\":0,\"tid\":7,\"args\":{\"device\":0,"
        "\"stream\":7}",
        arrive, begin + 8000 - arrive);
  }
  return json + "]}";
}

TEST(SessionsTest, AllRanksOfARunAreOnOneClock) {
  const TestFolder folder;
  folder.Write("job/rank0.json", RankTrace(0, 0));
  folder.Write("job/rank1.json", RankTrace(1, 100'000));
  const TestServer server(folder.path());
  const std::string runs = BodyOf(server.Api("runs"));
  const std::string all = TextOf(runs.substr(runs.find("\"all\":")), "t");
  ASSERT_EQ(Open(server, all), "ready") << BodyOf(server.Api("runs"));
  const std::string trace = BodyOf(server.Api("trace?t=" + all));
  // 300 ms as recorded; the job took 206.
  const size_t at = trace.find("\"span_ns\":");
  ASSERT_NE(at, trace.npos);
  EXPECT_LT(std::atoll(trace.c_str() + at + 10), 250'000'000) << trace;
  EXPECT_NE(trace.find("\"clock\":{\"method\":\"reference\""), trace.npos)
      << trace;
  const size_t moved = trace.find("\"clock\":{\"method\":\"collectives\"");
  ASSERT_NE(moved, trace.npos) << trace;
  const std::string offset = TextOf(trace.substr(moved), "offset_ns");
  EXPECT_NEAR(static_cast<double>(std::atoll(offset.c_str())), -1e8, 100'000);
  // A file by itself has its own clock.
  const std::string one = TextOf(runs, "t");
  ASSERT_EQ(Open(server, one), "ready");
  EXPECT_NE(server.Api("trace?t=" + one).find("\"clock\":null"),
            std::string::npos);
}

TEST(SessionsTest, OneOfTheJobsInAFolderCanBeOpened) {
  const TestFolder folder;
  folder.Write("job/rank0.json", RankTrace(0, 0));
  folder.Write("job/rank1.json", RankTrace(1, 100'000));
  folder.Write("job/zebra.json", ChromeTrace(3));  // states no time of day
  const TestServer server(folder.path());
  const std::string runs = BodyOf(server.Api("runs"));
  const std::string all = TextOf(runs.substr(runs.find("\"all\":")), "t");
  EXPECT_EQ(Open(server, all), "failed");
  std::vector<std::string> windows;
  for (size_t at = 0; (at = runs.find("\"t\":", at)) != runs.npos; ++at)
    windows.push_back(TextOf(runs.substr(at), "t"));
  ASSERT_EQ(windows.size(), 4u) << runs;
  const std::string pair = windows[0] + "." + windows[1];
  const std::string progress = BodyOf(server.Api("progress?t=" + all));
  EXPECT_NE(progress.find("\"jobs\":[\"" + pair + "\",\"" + windows[2] + "\"]"),
            progress.npos)
      << progress;
  ASSERT_EQ(Open(server, pair), "ready") << BodyOf(server.Api("runs"));
  EXPECT_NE(server.Api("trace?t=" + pair).find("\"method\":\"collectives\""),
            std::string::npos);
  // Not a part of what is asked for, and nothing that is not there.
  EXPECT_EQ(StatusOf(server.Api("open?t=" + pair + ".0", "POST")), 404);
  EXPECT_EQ(StatusOf(server.Api("open?t=" + windows[0] + ".", "POST")), 404);
}

TEST(SessionsTest, AnImportCanBeCancelled) {
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(200000));
  const TestServer server(folder.path());
  const std::string id = TextOf(server.Api("runs"), "t");
  // It may be done before it is cancelled; never does it hang or fail.
  server.Api("open?t=" + id, "POST");
  server.Api("cancel?t=" + id, "POST");
  const std::string lines = server.Api("progress?t=" + id);
  const std::string state =
      TextOf(lines.substr(lines.rfind("{\"state\"")), "state");
  EXPECT_TRUE(state == "new" || state == "ready") << lines;
  EXPECT_EQ(Open(server, id), "ready");
}

}  // namespace
}  // namespace stepscope::server
