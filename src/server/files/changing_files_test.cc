// SPDX-License-Identifier: Apache-2.0
//
// Files that change under the server: cut off, written over, replaced, deleted
// or swapped for a link that leads out of the folder, at any moment.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <functional>

#include "base/whole_or_part.h"
#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

// Of a process that was killed while it wrote its file anew.
TEST(ChangingFilesTest, AnUnfinishedCopyIsNotListed) {
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(9));
  folder.Write("a.json.part", ChromeTrace(5));
  folder.Write("b.part", ChromeTrace(5));  // of nothing that is there
  const TestServer server(folder.path());
  const std::string runs = server.Api("runs");
  EXPECT_NE(runs.find("a.json"), std::string::npos);
  EXPECT_EQ(runs.find("a.json.part"), std::string::npos) << runs;
  EXPECT_NE(runs.find("b.part"), std::string::npos) << runs;
}

TEST(ChangingFilesTest, AFileThatChangesWhileItIsRead) {
  const TestFolder folder;
  const std::string whole = ChromeTrace(50'000);
  const fs::path file = folder.path() / "a.json";
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"cut to nothing", [&] { fs::resize_file(file, 0); }},
      {"cut in half", [&] { fs::resize_file(file, whole.size() / 2); }},
      {"grown", [&] { fs::resize_file(file, whole.size() * 2); }},
      {"written over", [&] { folder.Write("a.json", ChromeTrace(9, "x")); }},
      {"deleted", [&] { fs::remove(file); }},
      {"replaced",
       [&] {
         folder.Write("b.tmp", ChromeTrace(20, "other"));
         fs::rename(folder.path() / "b.tmp", file);
       }},
      {"a folder now",
       [&] {
         fs::remove(file);
         fs::create_directory(file);
       }},
      {"a pipe now",
       [&] {
         fs::remove(file);
         ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
       }},
  };
  for (const auto& [what, change] : changes) {
    for (int round = 0; round < 6; ++round) {
      fs::remove_all(file);
      folder.Write("a.json", whole);
      const TestServer server(folder.path());
      const std::string id = TextOf(server.Api("runs"), "t");
      ASSERT_FALSE(id.empty());
      // Before it is asked for, right behind, and once it is being read.
      if (round % 3 == 0) change();
      server.Api("open?t=" + id, "POST");
      if (round % 3 == 1) change();
      if (round % 3 == 2) {
        // The first piece of progress, or the end of it.
        const RawClient progress(server.port());
        progress.Send(server.Head("GET", "/api/v1/progress?t=" + id));
        progress.ReadAnswer();
        change();
      }
      const std::string lines = server.Api("progress?t=" + id);
      const size_t last = lines.rfind("{\"state\":\"");
      ASSERT_NE(last, lines.npos) << what << lines;
      const std::string state = TextOf(lines.substr(last), "state");
      EXPECT_TRUE(state == "ready" || state == "failed" || state == "new")
          << what << ": " << lines;
      if (state == "failed") {
        // One line that names the file and not where it lies.
        const std::string error = TextOf(lines.substr(last), "error");
        EXPECT_NE(error, "") << what;
        EXPECT_EQ(error.find(folder.path().string()), error.npos) << error;
      }
      // Whatever became of it, the rest goes on.
      EXPECT_EQ(StatusOf(server.Api("runs")), 200) << what;
      const int trace = StatusOf(server.Api("trace?t=" + id));
      EXPECT_EQ(trace, state == "ready" ? 200 : 409) << what;
    }
  }
}

TEST(ChangingFilesTest, WhatIsOpenStaysAsItWas) {
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(50'000));
  const TestServer server(folder.path());
  const std::string id = TextOf(server.Api("runs"), "t");
  ASSERT_EQ(Open(server, id), "ready");
  const std::string before = BodyOf(server.Api("summary?t=" + id));
  fs::resize_file(folder.path() / "a.json", 10);
  for (const char* request : {"event?row=49999&", "find?q=work&row=7&",
                              "tiles?k=3&i0=0&i1=3&tracks=0&", "trace?"})
    EXPECT_EQ(StatusOf(server.Api(request + ("t=" + id))), 200) << request;
  EXPECT_EQ(BodyOf(server.Api("summary?t=" + id)), before);
}

// In turn a file of the folder, the same inode each time, and a link to a file
// outside, as fast as it goes.
class Swapper {
 public:
  Swapper(const fs::path& shown, const fs::path& inside,
          const fs::path& outside)
      : thread_([this, shown, inside, outside] {
          const fs::path fresh = shown.string() + ".fresh";
          while (!stop_) {
            fs::create_symlink(outside, fresh);
            fs::rename(fresh, shown);
            fs::create_hard_link(inside, fresh);
            fs::rename(fresh, shown);
          }
        }) {}
  ~Swapper() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(ChangingFilesTest, ALinkThatIsSwappedInIsNeverFollowed) {
  const TestFolder folder;
  folder.Write("outside/secret.json", ChromeTrace(40, "THE SECRET"));
  folder.Write("outside/kept.json", ChromeTrace(40, "harmless"));
  folder.Write("served/b.json", ChromeTrace(3));
  const fs::path served = folder.path() / "served";
  // Of the folder by a hard link: the file itself is what was listed.
  fs::create_hard_link(folder.path() / "outside/kept.json", served / "a.json");
  ServerOptions options;
  options.path = served.string();
  options.memory = 1;  // the last one that was opened, and no other
  const TestServer server(options);
  const auto id_of = [&](const std::string& file) -> std::string {
    const std::string runs = server.Api("runs");
    const size_t at = runs.find("\"file\":\"" + file + "\"");
    if (at == runs.npos) return {};
    return TextOf(runs.substr(runs.rfind("{\"t\":", at)), "t");
  };
  const std::string other = id_of("b.json");
  const Swapper swapper(served / "a.json", folder.path() / "outside/kept.json",
                        folder.path() / "outside/secret.json");
  int ready = 0;
  for (int i = 0; i < WholeOrPart(2000, 400) || ready == 0; ++i) {
    const std::string id = id_of("a.json");
    if (id.empty() || Open(server, id) != "ready") continue;
    ++ready;
    const std::string event = server.Api("event?row=7&t=" + id);
    ASSERT_EQ(event.find("SECRET"), event.npos) << "after " << i;
    // So that it is read anew the next time.
    ASSERT_EQ(Open(server, other), "ready");
  }
}

}  // namespace
}  // namespace stepscope::server
