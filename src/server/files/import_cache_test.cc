// SPDX-License-Identifier: Apache-2.0
//
// What is kept of traces, where, for how long, and what is not believed.
#include "server/files/import_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "exporters/exporter.h"
#include "importers/registry.h"
#include "report/summary.h"
#include "server/files/cache_folder.h"
#include "server/files/cache_key.h"
#include "server/files/sessions.h"
#include "server/server_test_support.h"
#include "server/timeline/tiles.h"
#include "server/timeline/trace_json.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

// Keeps whatever it is given.
CacheOptions KeepAll(const fs::path& folder) {
  CacheOptions options;
  options.folder = folder.string();
  options.worth_time = std::chrono::milliseconds(0);
  options.worth_bytes = 0;
  return options;
}

std::string ReadAllOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> Kept(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// A file whose last change is long ago, as far as keys are concerned: as
// nobody can set that back, the test waits for it.
void WaitForOldFiles(const Target& target) {
  while (!CacheKeyOf(target))
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

Target TargetOf(const fs::path& path) {
  Target target;
  target.name = path.filename().string();
  Window window;
  window.file = target.name;
  window.path = path.string();
  target.windows.push_back(window);
  return target;
}

std::shared_ptr<const OpenTrace> Import(const fs::path& path) {
  auto trace = ImportFile(path.string());
  EXPECT_TRUE(trace) << path;
  return trace ? std::make_shared<const OpenTrace>(*trace) : nullptr;
}

std::string SummaryOf(const OpenTrace& open) {
  TableOptions options;
  options.format = TableFormat::kJson;
  const auto text = RenderSummaryOfSteps(open.trace(), options);
  return text ? *text : text.error().message;
}

std::string ExportOf(const OpenTrace& open, const TestFolder& folder) {
  const fs::path path = folder.path() / "export.sscap";
  EXPECT_TRUE(
      ExportFile(open.trace(), *FindExporter("capture"), path.string()));
  return ReadAllOf(path);
}

// All tiles of the first levels of a picture.
std::string PictureOf(const OpenTrace& open) {
  std::string all;
  const auto tracks = static_cast<uint32_t>(open.view().tracks.size());
  for (int k = 8; k <= 40; k += 4) {
    const auto parsed = ParseTilesRequest(
        std::to_string(k), "0", "3",
        "0-" + std::to_string(std::min(tracks, 200u) - 1), tracks);
    if (!parsed) continue;
    const auto answer = TilesAnswer(open, *parsed);
    all += answer ? *answer : answer.error().message;
  }
  return all;
}

TEST(ImportCacheTest, EveryRealTraceComesBackAsItWas) {
  const fs::path traces = STEPSCOPE_SHARED_TRACES;
  if (!fs::exists(traces)) GTEST_SKIP() << traces << " is not there";
  const TestFolder folder;
  ImportCache cache(KeepAll(folder.path() / "cache"));
  const CancelToken go_on;
  size_t compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(traces)) {
    if (!entry.is_regular_file() || !FindImporter(entry.path().string()))
      continue;
#if defined(__SANITIZE_THREAD__)
    // Half as many megabytes go through the same threads.
    if (entry.path().extension() == ".gz" && entry.file_size() > 600'000)
      continue;
#endif
    const auto open = Import(entry.path());
    if (open == nullptr) continue;
    const std::string key = entry.path().string();
    cache.StoreLater(key, open, std::chrono::seconds(1));
    cache.WaitUntilIdle();
    const auto again = cache.Find(key, go_on);
    ASSERT_NE(again, nullptr) << key;
    EXPECT_TRUE(SummaryOf(*again) == SummaryOf(*open)) << key;
    EXPECT_TRUE(ExportOf(*again, folder) == ExportOf(*open, folder)) << key;
    EXPECT_TRUE(TraceJson(*again) == TraceJson(*open)) << key;
    EXPECT_TRUE(PictureOf(*again) == PictureOf(*open)) << key;
    ++compared;
  }
  EXPECT_GT(compared, 10u);
  EXPECT_EQ(cache.stored(), compared);
}

class OneTraceTest : public ::testing::Test {
 protected:
  OneTraceTest() {
    folder_.Write("a.json", ChromeTrace(500));
    open_ = Import(folder_.path() / "a.json");
  }
  fs::path cache_path() const { return folder_.path() / "cache"; }
  void Store(ImportCache& cache, const std::string& key) {
    cache.StoreLater(key, open_, std::chrono::seconds(1));
    cache.WaitUntilIdle();
  }
  std::shared_ptr<const OpenTrace> Find(const std::string& key) {
    ImportCache cache(KeepAll(cache_path()));
    return cache.Find(key, go_on_);
  }

  const TestFolder folder_;
  const CancelToken go_on_;
  std::shared_ptr<const OpenTrace> open_;
};

TEST_F(OneTraceTest, WhatIsKeptIsTheUsersAlone) {
  ImportCache cache(KeepAll(cache_path()));
  Store(cache, "key");
  ASSERT_EQ(cache.stored(), 1u);
  struct stat status = {};
  ASSERT_EQ(stat(cache_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  const auto files = Kept(cache_path());
  ASSERT_EQ(files.size(), 1u);
  ASSERT_EQ(stat(files[0].c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_NE(Find("key"), nullptr);
  EXPECT_EQ(Find("another key"), nullptr);

  // Open to others, a link, or with a second name: not believed.
  ASSERT_EQ(chmod(files[0].c_str(), 0644), 0);
  EXPECT_EQ(Find("key"), nullptr);
  ASSERT_EQ(chmod(files[0].c_str(), 0600), 0);
  EXPECT_NE(Find("key"), nullptr);
  fs::create_hard_link(files[0], folder_.path() / "second");
  EXPECT_EQ(Find("key"), nullptr);
  fs::rename(files[0], folder_.path() / "second2");
  fs::remove(folder_.path() / "second");
  fs::create_symlink(folder_.path() / "second2", files[0]);
  EXPECT_EQ(Find("key"), nullptr);
  fs::remove(files[0]);
  ASSERT_EQ(mkfifo(files[0].c_str(), 0600), 0);
  EXPECT_EQ(Find("key"), nullptr);
  fs::rename(folder_.path() / "second2", files[0]);
  EXPECT_NE(Find("key"), nullptr);
  if (geteuid() != 0) return;  // only root gives files away
  ASSERT_EQ(chown(files[0].c_str(), 4242, 4242), 0);
  EXPECT_EQ(Find("key"), nullptr);
  ASSERT_EQ(chown(files[0].c_str(), 0, 0), 0);
  ASSERT_EQ(chown(cache_path().c_str(), 4242, 4242), 0);
  EXPECT_EQ(Find("key"), nullptr);
}

TEST_F(OneTraceTest, AFolderThatOthersCanLookIntoIsNotUsed) {
  fs::create_directory(cache_path());
  ASSERT_EQ(chmod(cache_path().c_str(), 0755), 0);
  CacheOptions options = KeepAll(cache_path());
  std::vector<std::string> notes;
  options.note = [&](const std::string& note) { notes.push_back(note); };
  ImportCache cache(options);
  EXPECT_EQ(cache.Find("key", go_on_), nullptr);
  Store(cache, "key");
  EXPECT_EQ(cache.stored(), 0u);
  EXPECT_TRUE(Kept(cache_path()).empty());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("not yours alone; run chmod 700"), std::string::npos)
      << notes[0];
  EXPECT_FALSE(cache.on());
}

TEST_F(OneTraceTest, DamagedFilesAreRemovedAndWrittenAnew) {
  ImportCache cache(KeepAll(cache_path()));
  Store(cache, "key");
  const fs::path file = Kept(cache_path()).at(0);
  const std::string bytes = ReadAllOf(file);
  size_t found = 0;
  size_t removed = 0;
  const auto damage = [&](const std::string& damaged) {
    std::ofstream(file, std::ios::binary) << damaged;
    chmod(file.c_str(), 0600);
    const auto open = Find("key");
    if (open == nullptr) {
      EXPECT_FALSE(fs::exists(file));
      ++removed;
    } else {  // between two sections
      EXPECT_TRUE(PictureOf(*open) == PictureOf(*open_));
      ++found;
    }
  };
  damage("");
  damage(bytes.substr(0, 100));
  damage(bytes.substr(0, bytes.size() / 2));
  damage(bytes.substr(0, bytes.size() - 1));
  damage(std::string(bytes.size(), '\0'));
  EXPECT_EQ(found, 0u);
  // Every section begins at a multiple of 65,536.
  for (size_t section = 0; section < bytes.size(); section += 65536) {
    for (size_t at = section; at < std::min(section + 64, bytes.size());
         at += 5) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
      damage(damaged);
    }
  }
  EXPECT_GT(removed, 100u);
  EXPECT_EQ(Find("key"), nullptr);
  Store(cache, "key");
  EXPECT_NE(Find("key"), nullptr);
}

// What a disk has lost, with the time of writing as it was: nobody knows until
// it is looked for.
TEST_F(OneTraceTest, WhatTheDiskLostIsFoundWhileItIsInUse) {
  ImportCache cache(KeepAll(cache_path()));
  Store(cache, "key");
  const fs::path file = Kept(cache_path()).at(0);
  {
    const auto open = cache.Find("key", go_on_);
    ASSERT_NE(open, nullptr);
    cache.WaitUntilIdle();
    EXPECT_EQ(cache.checked(), 1u);
    EXPECT_FALSE(open->damaged());
  }
  struct stat before = {};
  ASSERT_EQ(stat(file.c_str(), &before), 0);
  std::string bytes = ReadAllOf(file);
  // The time of an event without what is in it: 5,000 ns, as often as there
  // are events. No picture shows it.
  const size_t at = bytes.rfind(std::string("\x88\x13\0\0\0\0\0\0", 8));
  ASSERT_NE(at, bytes.npos);
  bytes[at] ^= 1;
  std::fstream(file, std::ios::binary | std::ios::in | std::ios::out) << bytes;
  // Somebody wrote to it: looked at before it is used.
  EXPECT_EQ(cache.Find("key", go_on_), nullptr);
  EXPECT_EQ(cache.checked(), 1u);
  EXPECT_FALSE(fs::exists(file));
  std::ofstream(file, std::ios::binary) << bytes;
  ASSERT_EQ(chmod(file.c_str(), 0600), 0);
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  const auto open = cache.Find("key", go_on_);
  ASSERT_NE(open, nullptr);
  cache.WaitUntilIdle();
  EXPECT_EQ(cache.checked(), 2u);
  EXPECT_TRUE(open->damaged());
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(OneTraceTest, TheLeastUsedGoFirst) {
  uint64_t each = 0;
  {
    ImportCache cache(KeepAll(cache_path()));
    Store(cache, "a");
    struct stat status = {};
    ASSERT_EQ(stat(Kept(cache_path()).at(0).c_str(), &status), 0);
    each = static_cast<uint64_t>(status.st_blocks) * 512;
    fs::remove(Kept(cache_path()).at(0));
  }
  CacheOptions options = KeepAll(cache_path());
  options.most_bytes = each * 3 + each / 2;
  ImportCache cache(options);
  for (const std::string key : {"key one", "key two", "key three"})
    Store(cache, key);
  ASSERT_EQ(Kept(cache_path()).size(), 3u);
  // In seconds, so that the clock of the file system does not matter. All are
  // read first, since that counts as use.
  std::map<std::string, fs::path> of;
  for (const fs::path& file : Kept(cache_path()))
    for (const std::string key : {"key one", "key two", "key three"})
      if (ReadAllOf(file).find(key) != std::string::npos) of[key] = file;
  const auto set_age = [&](const std::string& key, int seconds) {
    const timespec used[2] = {{std::time(nullptr) - seconds, 0},
                              {0, UTIME_OMIT}};
    EXPECT_EQ(utimensat(AT_FDCWD, of[key].c_str(), used, 0), 0);
  };
  set_age("key one", 300);
  set_age("key two", 200);
  set_age("key three", 100);
  EXPECT_NE(Find("key one"), nullptr);  // the last that was used now
  Store(cache, "key four");
  EXPECT_EQ(Kept(cache_path()).size(), 3u);
  EXPECT_EQ(Find("key two"), nullptr);
  EXPECT_NE(Find("key one"), nullptr);
  EXPECT_NE(Find("key three"), nullptr);
  EXPECT_NE(Find("key four"), nullptr);
}

TEST_F(OneTraceTest, WhatIsTooLargeOrNotWorthItIsNotKept) {
  CacheOptions small = KeepAll(cache_path());
  small.most_bytes = 1000;
  size_t notes = 0;
  small.note = [&](const std::string&) { ++notes; };
  ImportCache cache(small);
  Store(cache, "key");
  EXPECT_EQ(cache.stored(), 0u);
  EXPECT_TRUE(cache.on());
  EXPECT_EQ(notes, 0u);
  CacheOptions usual;
  usual.folder = (folder_.path() / "other").string();
  ImportCache other(usual);
  Store(other, "key");  // some kilobytes, though a second was spent
  other.StoreLater("key", open_, std::chrono::milliseconds(299));
  other.WaitUntilIdle();
  EXPECT_EQ(other.stored(), 0u);
  EXPECT_FALSE(fs::exists(folder_.path() / "other"));
}

TEST_F(OneTraceTest, AFullDiskIsSaidOnceAndNothingIsLeft) {
  // A limit on the size of files refuses a write in the middle, too.
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  CacheOptions options = KeepAll(cache_path());
  std::vector<std::string> notes;
  options.note = [&](const std::string& note) { notes.push_back(note); };
  ImportCache cache(options);
  const rlimit little = {100'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  Store(cache, "key");
  Store(cache, "key");
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, old_handler);
  EXPECT_EQ(cache.stored(), 0u);
  EXPECT_TRUE(Kept(cache_path()).empty());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("File too large"), std::string::npos) << notes[0];
}

TEST_F(OneTraceTest, AFolderThatCannotBeMadeIsSaidOnce) {
  CacheOptions options = KeepAll(folder_.path() / "a.json" / "cache");
  std::vector<std::string> notes;
  options.note = [&](const std::string& note) { notes.push_back(note); };
  ImportCache cache(options);
  Store(cache, "key");
  Store(cache, "key");
  EXPECT_EQ(cache.stored(), 0u);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].starts_with("traces are not kept for the next time: "))
      << notes[0];
}

TEST_F(OneTraceTest, LeftOversOfWritersThatAreGoneAreRemoved) {
  ImportCache cache(KeepAll(cache_path()));
  Store(cache, "key");
  const fs::path left = cache_path() / "0123456789abcdef.0.new";
  const fs::path busy = cache_path() / "0123456789abcdef.1.new";
  const fs::path foreign = cache_path() / "notes.txt";
  for (const fs::path& path : {left, busy, foreign}) {
    std::ofstream(path) << "some bytes";
    fs::last_write_time(
        path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  const int fd = open(busy.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  Store(cache, "another key");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(busy));
  EXPECT_TRUE(fs::exists(foreign));
  close(fd);
}

TEST_F(OneTraceTest, TwoMayWriteTheSame) {
  ImportCache a(KeepAll(cache_path()));
  ImportCache b(KeepAll(cache_path()));
  for (int i = 0; i < 20; ++i) {
    a.StoreLater("key", open_, std::chrono::seconds(1));
    b.StoreLater("key", open_, std::chrono::seconds(1));
  }
  a.WaitUntilIdle();
  b.WaitUntilIdle();
  EXPECT_EQ(a.stored() + b.stored(), 40u);
  EXPECT_EQ(Kept(cache_path()).size(), 1u);
  EXPECT_NE(Find("key"), nullptr);
}

TEST_F(OneTraceTest, WhatWasClosedIsNotWritten) {
  ImportCache cache(KeepAll(cache_path()));
  cache.StoreLater("key", {}, std::chrono::seconds(1));
  cache.WaitUntilIdle();
  EXPECT_EQ(cache.stored(), 0u);
}

TEST(CacheKeyTest, AnotherStateOfAFileIsAnotherKey) {
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(3));
  const Target target = TargetOf(folder.path() / "a.json");
  EXPECT_EQ(CacheKeyOf(target), std::nullopt);  // written just now
  WaitForOldFiles(target);
  const auto before = CacheKeyOf(target);
  ASSERT_TRUE(before);
  EXPECT_EQ(before, CacheKeyOf(target));
  // The same size and time of writing; only the system knows.
  struct stat status = {};
  ASSERT_EQ(stat(target.windows[0].path.c_str(), &status), 0);
  folder.Write("a.json", ChromeTrace(3, "krow"));
  const timespec times[2] = {status.st_atim, status.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, target.windows[0].path.c_str(), times, 0), 0);
  WaitForOldFiles(target);
  EXPECT_NE(before, CacheKeyOf(target));
  // The ring of a recording that goes on.
  folder.Write("a.json.live", "ring");
  EXPECT_EQ(CacheKeyOf(target), std::nullopt);
}

TEST(SessionsCacheTest, OpensFromTheCacheAndAnswersTheSame) {
  const TestFolder folder;
  folder.Write("traces/a.json", ChromeTrace(500));
  WaitForOldFiles(TargetOf(folder.path() / "traces/a.json"));
  ServerOptions options;
  options.path = (folder.path() / "traces").string();
  options.cache = KeepAll(folder.path() / "cache");
  std::string trace;
  std::string summary;
  {
    TestServer server(options);
    const std::string id = TextOf(server.Api("runs"), "t");
    ASSERT_EQ(Open(server, id), "ready");
    Sessions& sessions = (*server).sessions();
    sessions.cache().WaitUntilIdle();
    EXPECT_EQ(sessions.reads(), 1u);
    EXPECT_EQ(sessions.cache().stored(), 1u);
    trace = BodyOf(server.Api("trace?t=" + id));
    summary = BodyOf(server.Api("summary?t=" + id));
  }
  {
    TestServer server(options);
    const std::string id = TextOf(server.Api("runs"), "t");
    ASSERT_EQ(Open(server, id), "ready");
    Sessions& sessions = (*server).sessions();
    EXPECT_EQ(sessions.reads(), 0u);
    EXPECT_EQ(sessions.cache().found(), 1u);
    EXPECT_EQ(BodyOf(server.Api("trace?t=" + id)), trace);
    EXPECT_EQ(BodyOf(server.Api("summary?t=" + id)), summary);
  }
  // Nothing appears beside the user's files.
  EXPECT_EQ(Kept(folder.path() / "traces").size(), 1u);
  // Another state of the file is read anew.
  folder.Write("traces/a.json", ChromeTrace(400));
  WaitForOldFiles(TargetOf(folder.path() / "traces/a.json"));
  TestServer server(options);
  const std::string id = TextOf(server.Api("runs"), "t");
  ASSERT_EQ(Open(server, id), "ready");
  EXPECT_EQ((*server).sessions().reads(), 1u);
  EXPECT_NE(BodyOf(server.Api("trace?t=" + id)), trace);
}

TEST(SessionsCacheTest, ManyWorkersAreListedAndOnlyWhatIsAskedForIsRead) {
  const TestFolder folder;
  for (int i = 0; i < 64; ++i)
    folder.Write("traces/rank" + std::to_string(i) + ".json",
                 ChromeTrace(100 + i));
  ServerOptions options;
  options.path = (folder.path() / "traces").string();
  options.memory = 1;  // only the last one that was opened
  TestServer server(options);
  Sessions& sessions = (*server).sessions();
  const auto listing = (*server).folder().List();
  ASSERT_EQ(listing->runs.size(), 1u);
  ASSERT_EQ(listing->runs[0].workers.size(), 64u);
  EXPECT_EQ(sessions.reads(), 0u);
  const auto id = [&](size_t worker) {
    return listing->runs[0].workers[worker].windows[0].id;
  };
  for (const size_t worker : {5, 60, 33})
    ASSERT_EQ(Open(server, id(worker)), "ready");
  EXPECT_EQ(sessions.reads(), 3u);
  size_t open = 0;
  for (size_t worker = 0; worker < 64; ++worker)
    open += sessions.Find(id(worker)) != nullptr;
  EXPECT_EQ(open, 1u);
  EXPECT_EQ(sessions.ProgressOf(id(60)).state, OpenState::kNew);
  EXPECT_NE(sessions.Find(id(33)), nullptr);
  ASSERT_EQ(Open(server, id(60)), "ready");
  EXPECT_EQ(sessions.reads(), 4u);
}

}  // namespace
}  // namespace stepscope::server
