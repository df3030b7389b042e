// SPDX-License-Identifier: Apache-2.0
//
// Sessions, threads, forks, exits: the recorder never harms its host,
// and attempted = recorded + dropped.
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <latch>
#include <set>
#include <thread>
#include <vector>

#include "base/forking_tests.h"
#include "recorded.h"

namespace stepscope {
namespace {

using testing::CountByName;
using testing::Dropped;
using testing::FindThread;
using testing::Load;
using testing::Options;
using testing::Recorded;
using testing::TempFolder;

std::vector<pid_t> children;  // of this test program

uint64_t CountEntries(const char* folder) {
  uint64_t n = 0;
  DIR* dir = opendir(folder);
  while (dir != nullptr && readdir(dir) != nullptr) ++n;
  if (dir != nullptr) closedir(dir);
  return n;
}

[[maybe_unused]] uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::set<std::string> LiveFiles() {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& file :
       std::filesystem::directory_iterator("/dev/shm", ignored))
    names.insert(file.path().filename().string());
  return names;
}

// Of processes that had a child's number before it, and were killed.
const std::set<std::string> live_files_before = LiveFiles();

// The live files that children of this test left behind.
std::string LiveFilesOfChildren() {
  std::string left;
  for (const std::string& name : LiveFiles())
    for (const pid_t pid : children)
      if (name.rfind("stepscope-" + std::to_string(pid) + "-", 0) == 0 &&
          live_files_before.count(name) == 0)
        left += name + "\n";
  return left;
}

TEST(Lifecycle, StartTwiceStopTwice) {
  TempFolder folder;
  const std::string path = folder / "a.sscap";
  const std::string other = folder / "b.sscap";
  const stepscope_options options = Options(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  const stepscope_options again = Options(other);
  EXPECT_EQ(stepscope_start(&again), STEPSCOPE_BUSY);
  EXPECT_STRNE(stepscope_last_error(), "");
  { RecordEvent event("kept"); }
  EXPECT_EQ(stepscope_stop(), STEPSCOPE_OK);
  EXPECT_EQ(stepscope_stop(), STEPSCOPE_NOT_RUNNING);
  ASSERT_EQ(stepscope_wait(stepscope_session(), 20000), STEPSCOPE_OK);
  EXPECT_EQ(Load(path)->size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST(Lifecycle, SessionsInARowShareTheRingAndKeepTheirEvents) {
  TempFolder folder;
  std::vector<uint64_t> ids;
  constexpr int kSessions = 10;
  for (int i = 0; i < kSessions; ++i) {
    const std::string path = folder / (std::to_string(i) + ".sscap");
    const stepscope_options options = Options(path);
    ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK)
        << stepscope_last_error();
    for (int k = 0; k <= i; ++k) RecordEvent event("in session");
    ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
    ids.push_back(stepscope_session());
    RecordEvent between("between sessions");
  }
  for (int i = 0; i < kSessions; ++i) {
    ASSERT_EQ(stepscope_wait(ids[static_cast<size_t>(i)], 20000), STEPSCOPE_OK);
    const auto trace = Load(folder / (std::to_string(i) + ".sscap"));
    EXPECT_EQ(trace->size(), static_cast<uint32_t>(i + 1));
    EXPECT_EQ(CountByName(*trace)["between sessions"], 0u);
  }
}

TEST(Lifecycle, AScopeOfAnEarlierSessionStaysOutOfTheNext) {
  TempFolder folder;
  const std::string first = folder / "first.sscap";
  const std::string second = folder / "second.sscap";
  const stepscope_options a = Options(first);
  ASSERT_EQ(stepscope_start(&a), STEPSCOPE_OK);
  RecordEvent across("across");
  ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
  ASSERT_EQ(stepscope_wait(stepscope_session(), 20000), STEPSCOPE_OK);
  const stepscope_options b = Options(second);
  ASSERT_EQ(stepscope_start(&b), STEPSCOPE_OK);
  { RecordEvent event("fresh"); }
  across.End();
  ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
  ASSERT_EQ(stepscope_wait(stepscope_session(), 20000), STEPSCOPE_OK);
  EXPECT_EQ(Load(first)->threads()[0].open_scopes.size(), 1u);
  const auto trace = Load(second);
  EXPECT_EQ(trace->size(), 1u);
  EXPECT_EQ(trace->ledger().seen(), 1u);
}

TEST(Lifecycle, FiveHundredSessionsLeaveNothingBehind) {
  TempFolder folder;
  const auto once = [&](int i) {
    const std::string path = folder / (std::to_string(i) + ".sscap");
    const stepscope_options options = Options(path);
    ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK)
        << stepscope_last_error();
    for (int k = 0; k < 100; ++k) RecordEvent event("short session");
    std::thread([] { RecordEvent event("helper"); }).join();
    ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
    ASSERT_EQ(stepscope_wait(stepscope_session(), 20000), STEPSCOPE_OK);
    std::filesystem::remove(path);
  };
  // ThreadSanitizer begins one of its own with the first thread.
  std::thread([] {}).join();
  const uint64_t threads = CountEntries("/proc/self/task");
  // The writer ends shortly after the last file is complete.
  const auto settle = [&] {
    for (int i = 0; i < 60000 && CountEntries("/proc/self/task") > threads; ++i)
      usleep(1000);
  };
  for (int i = 0; i < 20; ++i) once(i);
  settle();
  const uint64_t files = CountEntries("/proc/self/fd");
  [[maybe_unused]] const uint64_t resident = ResidentBytes();
  for (int i = 20; i < 500; ++i) once(i);
  settle();
  EXPECT_EQ(CountEntries("/proc/self/task"), threads);
  EXPECT_EQ(CountEntries("/proc/self/fd"), files);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(ResidentBytes(), resident + (1 << 20));
#endif
}

TEST(Lifecycle, StopWhileThreadsRecordFlatOut) {
  TempFolder folder;
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      while (!done.load(std::memory_order_relaxed)) {
        RecordEvent outer("outer");
        RecordEvent inner("inner");
      }
    });
  }
  for (int i = 0; i < 15; ++i) {
    const std::string path = folder / (std::to_string(i) + ".sscap");
    const stepscope_options options = Options(path, 8 << 20);
    ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
    usleep(2000);
    ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
    ASSERT_EQ(stepscope_wait(stepscope_session(), 20000), STEPSCOPE_OK);
    const auto trace = Load(path);
    ASSERT_NE(trace, nullptr);
    for (const auto& [name, count] : CountByName(*trace))
      EXPECT_TRUE(name == "outer" || name == "inner") << name;
    std::filesystem::remove(path);
  }
  done = true;
  for (auto& thread : threads) thread.join();
}

TEST(Lifecycle, TenThousandShortThreads) {
  Recorded recorded;
  constexpr int kThreads = 10000;
  for (int i = 0; i < kThreads / 10; ++i) {
    std::vector<std::thread> batch;
    for (int k = 0; k < 10; ++k)
      batch.emplace_back([] {
        for (int e = 0; e < 20; ++e) RecordEvent event("short");
      });
    for (auto& thread : batch) thread.join();
  }
  const auto trace = recorded.Finish();
  EXPECT_EQ(CountByName(*trace)["short"] + Dropped(*trace), 20u * kThreads);
  EXPECT_EQ(Dropped(*trace), 0u);
}

TEST(Lifecycle, TwoHundredFiftySixThreadsAtOnce) {
  Recorded recorded;
  std::latch ready{256};
  std::vector<std::thread> threads;
  for (int t = 0; t < 256; ++t) {
    threads.emplace_back([&, t] {
      SetThreadName(("worker " + std::to_string(t)).c_str());
      ready.arrive_and_wait();
      for (int e = 0; e < 1000; ++e) RecordEvent event("parallel");
    });
  }
  for (auto& thread : threads) thread.join();
  const auto trace = recorded.Finish();
  for (int t = 0; t < 256; ++t) {
    const ThreadReport* report =
        FindThread(*trace, "worker " + std::to_string(t));
    ASSERT_NE(report, nullptr) << t;
    EXPECT_EQ(report->recorded + Dropped(*report), 1000u) << t;
  }
}

// A destructor that runs among the thread's last acts.
struct LateEvents {
  ~LateEvents() {
    for (int i = 0; i < 10; ++i) RecordEvent event("late");
  }
};
thread_local LateEvents late_events;

TEST(Lifecycle, EventsInThreadDestructorsAreRecorded) {
  Recorded recorded;
  pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key,
                               [](void*) {
                                 for (int i = 0; i < 10; ++i)
                                   RecordEvent event("late");
                               }),
            0);
  for (int t = 0; t < 100; ++t) {
    std::thread([&] {
      static_cast<void>(&late_events);
      pthread_setspecific(key, &key);
      RecordEvent event("early");
    }).join();
  }
  pthread_key_delete(key);
  const auto trace = recorded.Finish();
  EXPECT_EQ(CountByName(*trace)["early"], 100u);
  EXPECT_EQ(CountByName(*trace)["late"], 2000u);
}

TEST(Lifecycle, FloodBeyondTheBudgetIsCountedExactly) {
  constexpr int kEvents = 3000000;
  TempFolder folder;
  Recorded recorded(1 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      SetThreadName(("flood " + std::to_string(t)).c_str());
      for (int i = 0; i < kEvents / 4; ++i) {
        STEPSCOPE_EVENT("flood", EventType::kOperator);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto trace = recorded.Finish();
  for (int t = 0; t < 4; ++t) {
    const ThreadReport* report =
        FindThread(*trace, "flood " + std::to_string(t));
    ASSERT_NE(report, nullptr);
    EXPECT_EQ(report->recorded + Dropped(*report), uint64_t{kEvents / 4}) << t;
  }
}

TEST(Lifecycle, FileLimitIsCountedExactly) {
  constexpr int kEvents = 500000;
  Recorded recorded(0, 200 * 1024);
  SetThreadName("limited");
  for (int i = 0; i < kEvents; ++i) RecordEvent event("limited");
  const auto trace = recorded.Finish();
  EXPECT_LT(std::filesystem::file_size(recorded.path()), 300u * 1024);
  const ThreadReport* report = FindThread(*trace, "limited");
  ASSERT_NE(report, nullptr);
  EXPECT_GT(Dropped(*report), 0u);
  EXPECT_GT(report->recorded, 0u);
  EXPECT_EQ(report->recorded + Dropped(*report), uint64_t{kEvents});
}

// ThreadSanitizer does not follow a fork of a process with threads.
#if defined(__SANITIZE_THREAD__)
#define SKIP_FORKS_UNDER_TSAN() GTEST_SKIP() << "forks under ThreadSanitizer"
#else
#define SKIP_FORKS_UNDER_TSAN() static_cast<void>(0)
#endif

// Runs `child` in a fork; true if it ended by itself with status 0.
template <typename Child>
bool RunChild(Child child, int seconds = 20) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(static_cast<unsigned>(seconds));
    child();
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  children.push_back(pid);
  int status = 0;
  waitpid(pid, &status, 0);
  const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!ended) ADD_FAILURE() << "child's wait status is " << status;
  return ended;
}

TEST(Lifecycle, AFullDiskLosesEventsNotTheProgram) {
  SKIP_FORKS_UNDER_TSAN();
  // A limit on file size stands in for the full disk: write(2) fails the same
  // way, and SIGXFSZ must not kill.
  EXPECT_TRUE(RunChild([] {
    constexpr int kEvents = 2000000;
    TempFolder folder;
    const std::string path = folder / "full.sscap";
    // The live file lies in shared memory and grows before the limit is set.
    const stepscope_options options = Options(path, 4 << 20);
    ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
    usleep(100000);
    const rlimit limit = {256 * 1024, 256 * 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
    SetThreadName("writer of much");
    for (int i = 0; i < kEvents; ++i) RecordEvent event("much");
    ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
    ASSERT_EQ(stepscope_wait(stepscope_session(), 20000), STEPSCOPE_OK);
    EXPECT_NE(std::strstr(stepscope_last_error(), "write failed"), nullptr);
    const auto trace = Load(path);
    ASSERT_NE(trace, nullptr);
    const ThreadReport* report = FindThread(*trace, "writer of much");
    ASSERT_NE(report, nullptr);
    EXPECT_GT(Dropped(*report), 0u);
    EXPECT_EQ(report->recorded + Dropped(*report), uint64_t{kEvents});
    // If not even the end could be written, the live file was kept for its
    // counters.
    std::error_code none;
    const auto live = std::filesystem::read_symlink(path + ".live", none);
    EXPECT_EQ(trace->complete(), static_cast<bool>(none));
    if (!none) std::filesystem::remove(live);
  }));
  EXPECT_EQ(LiveFilesOfChildren(), "");
}

TEST(Lifecycle, FoldersThatCannotBeWrittenAreAnErrorNotACrash) {
  TempFolder folder;
  const std::string file = folder / "file";
  std::ofstream(file) << "not a folder";
  const std::string below = file + "/sub/x.sscap";
  const stepscope_options options = Options(below);
  EXPECT_EQ(stepscope_start(&options), STEPSCOPE_IO);
  EXPECT_NE(std::strstr(stepscope_last_error(), file.c_str()), nullptr);
  { RecordEvent event("recorded nowhere"); }
  EXPECT_EQ(stepscope_stop(), STEPSCOPE_NOT_RUNNING);
  const std::string proc = "/proc/stepscope/x.sscap";
  const stepscope_options read_only = Options(proc);
  EXPECT_EQ(stepscope_start(&read_only), STEPSCOPE_IO);
  const std::string existing = folder / "taken.sscap";
  std::ofstream(existing) << "precious";
  const stepscope_options taken = Options(existing);
  EXPECT_EQ(stepscope_start(&taken), STEPSCOPE_IO);
  std::string content;
  std::ifstream(existing) >> content;
  EXPECT_EQ(content, "precious");
  const std::string missing = folder / "new/folders/are/made/x.sscap";
  const stepscope_options made = Options(missing);
  EXPECT_EQ(stepscope_start(&made), STEPSCOPE_OK);
  EXPECT_EQ(stepscope_stop(), STEPSCOPE_OK);
  ASSERT_EQ(stepscope_wait(stepscope_session(), 20000), STEPSCOPE_OK);
  EXPECT_TRUE(std::filesystem::exists(missing));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Lifecycle, LackOfMemoryIsAnErrorWithAReason) {
  EXPECT_TRUE(RunChild([] {
    TempFolder folder;
    const std::string path = folder / "x.sscap";
    uint64_t pages = 0;  // that the process has mapped already
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes =
        pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + (256 << 20);
    const rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
    const stepscope_options options = Options(path, uint64_t{1} << 30);
    EXPECT_EQ(stepscope_start(&options), STEPSCOPE_NO_MEMORY);
    EXPECT_NE(std::strstr(stepscope_last_error(), "annot allocate memory"),
              nullptr)
        << stepscope_last_error();
    EXPECT_FALSE(std::filesystem::exists(path));
    const stepscope_options smaller = Options(path, 2 << 20);
    EXPECT_EQ(stepscope_start(&smaller), STEPSCOPE_OK);
    EXPECT_STREQ(stepscope_last_error(), "");
    EXPECT_EQ(stepscope_stop(), STEPSCOPE_OK);
    EXPECT_EQ(stepscope_wait(stepscope_session(), 20000), STEPSCOPE_OK);
  }));
  EXPECT_EQ(LiveFilesOfChildren(), "");
}
#endif

TEST(Lifecycle, ForkedChildIsSilentUntilItStartsItsOwnSession) {
  SKIP_FORKS_UNDER_TSAN();
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
  TempFolder folder;
  const std::string path = folder / "parent.sscap";
  const stepscope_options options = Options(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      while (!done.load()) {
        RecordEvent event("busy");
        const std::string name = "name " + std::to_string(rand() % 5000);
        RecordEvent dynamic{std::string_view(name)};
      }
    });
  constexpr int kForks = 100;
  uint64_t parent_events = 0;
  for (int i = 0; i < kForks; ++i) {
    RecordEvent open_in_parent("around fork");
    ++parent_events;
    const std::string mine = folder / ("child" + std::to_string(i) + ".sscap");
    ASSERT_TRUE(RunChild([&] {
      { RecordEvent event("in child, silent"); }
      open_in_parent.End();
      EXPECT_EQ(stepscope_enabled(), 0);
      if (i % 4 == 0) {
        const stepscope_options own = Options(mine, 2 << 20);
        ASSERT_EQ(stepscope_start(&own), STEPSCOPE_OK)
            << stepscope_last_error();
        { RecordEvent event("in child, own session"); }
        std::thread([] { RecordEvent event("in child, own session"); }).join();
        ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
        ASSERT_EQ(stepscope_wait(stepscope_session(), 10000), STEPSCOPE_OK);
      }
    })) << i;
    if (i % 4 == 0) {
      const auto child = Load(mine);
      ASSERT_NE(child, nullptr);
      EXPECT_EQ(CountByName(*child)["in child, own session"], 2u);
      EXPECT_EQ(child->size(), 2u);
    }
  }
  done = true;
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
  ASSERT_EQ(stepscope_wait(stepscope_session(), 20000), STEPSCOPE_OK);
  const auto trace = Load(path);
  const auto counts = CountByName(*trace);
  EXPECT_EQ(counts.at("around fork"), parent_events);
  EXPECT_EQ(LiveFilesOfChildren(), "");
  EXPECT_EQ(counts.count("in child, silent"), 0u);
  EXPECT_EQ(counts.count("in child, own session"), 0u);
}

TEST(Lifecycle, RawCloneChildIsSilentToo) {
  SKIP_FORKS_UNDER_TSAN();
  Recorded recorded;
  for (int i = 0; i < 100; ++i) {
    RecordEvent before("parent");
    const long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
      RecordEvent event("clone child");
      before.End();
      _exit(0);
    }
    int status = 0;
    waitpid(static_cast<pid_t>(pid), &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
  }
  const auto trace = recorded.Finish();
  EXPECT_EQ(CountByName(*trace)["parent"], 100u);
  EXPECT_EQ(CountByName(*trace)["clone child"], 0u);
}

TEST(Lifecycle, ExitWhileRecordingCompletesTheFile) {
  SKIP_FORKS_UNDER_TSAN();
  TempFolder folder;
  const std::string path = folder / "exit.sscap";
  const pid_t pid = fork();
  if (pid == 0) {
    const stepscope_options options = Options(path, 2 << 20);
    stepscope_start(&options);
    static LateEvents at_static_destruction;
    { RecordEvent event("before exit"); }
    exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  const auto trace = Load(path);
  ASSERT_NE(trace, nullptr);
  EXPECT_TRUE(trace->complete());
  EXPECT_EQ(CountByName(*trace)["before exit"], 1u);
  EXPECT_EQ(CountByName(*trace)["late"], 10u);
  EXPECT_FALSE(std::filesystem::exists(path + ".live"));
}

TEST(Lifecycle, FallbackClockRecordsTheSame) {
  SKIP_FORKS_UNDER_TSAN();
  ASSERT_TRUE(RunChild([] {
    TempFolder folder;
    const std::string path = folder / "clock.sscap";
    setenv("STEPSCOPE_CLOCK", "monotonic", 1);
    // A fresh image, since the clock is chosen once per process.
    const pid_t pid = fork();
    if (pid == 0) {
      execl("/proc/self/exe", "lifecycle_test", "--record-with-fallback-clock",
            path.c_str(), static_cast<char*>(nullptr));
      _exit(9);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const auto trace = Load(path);
    ASSERT_NE(trace, nullptr);
    EXPECT_EQ(trace->clock().source, "monotonic");
    EXPECT_EQ(CountByName(*trace)["fallback"], 10000u);
    for (Row row = 0; row < trace->size(); ++row)
      ASSERT_EQ(trace->flags()[row] & kEventOpenAtEnd, 0);
  }));
}

int RecordWithFallbackClock(const char* path) {
  const std::string where = path;
  const stepscope_options options = Options(where, 2 << 20);
  if (stepscope_start(&options) != STEPSCOPE_OK) return 1;
  for (int i = 0; i < 10000; ++i) RecordEvent event("fallback");
  return stepscope_stop();  // exit completes the file
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--record-with-fallback-clock") == 0)
    return stepscope::RecordWithFallbackClock(argv[2]);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
