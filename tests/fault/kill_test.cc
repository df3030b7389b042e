// SPDX-License-Identifier: Apache-2.0
//
// SIGKILL of the traced process at random points. Threads count what they
// attempt and complete in a page that outlives them; the capture, joined with
// its live file, must account for every event, name what was open, and never
// invent anything.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include <atomic>
#include <cstring>
#include <random>
#include <sstream>
#include <thread>

#include "e2e/recorded.h"

namespace stepscope {
namespace {

using testing::Dropped;
using testing::FindThread;
using testing::Options;
using testing::TempFolder;

constexpr int kThreads = 2;

struct Tally {
  std::atomic<uint64_t> attempted;  // before each begin
  std::atomic<uint64_t> completed;  // after each end
};
struct SharedPage {
  std::atomic<int> started;
  std::atomic<bool> stopping;
  Tally threads[kThreads];
};

struct Plan {
  uint64_t budget;    // small ones make events drop
  bool side_records;  // arguments, counters, memory between the events
  int stop_after_us;  // > 0: the child stops its session after that
  int kill_after_us;
  uint64_t kill_after_events = 0;  // of the first thread, that long or longer
};

std::string ThreadName(int t) { return "recorder " + std::to_string(t); }

void RecordUntilKilled(SharedPage* page, const Plan& plan, int t) {
  SetThreadName(ThreadName(t).c_str());
  Tally& tally = page->threads[t];
  uint64_t attempted = 0, completed = 0;
  const auto attempt = [&] {
    tally.attempted.store(++attempted, std::memory_order_relaxed);
    __asm__ volatile("" ::: "memory");
  };
  const auto complete = [&] {
    __asm__ volatile("" ::: "memory");
    tally.completed.store(++completed, std::memory_order_relaxed);
  };
  while (!page->stopping.load(std::memory_order_relaxed)) {
    attempt();
    RecordEvent outer("outer", EventType::kForward);
    for (int i = 0; i < 50; ++i) {
      attempt();
      { STEPSCOPE_EVENT("inner", EventType::kOperator); }
      complete();
      if (plan.side_records && i % 10 == 0) {
        outer.Arg("i", i);
        RecordCounter("counter", i);
        RecordAlloc(&tally, 64, "Place(cpu)", 64);
      }
    }
    outer.End();
    complete();
  }
}

[[noreturn]] void Child(SharedPage* page, const std::string& path,
                        const Plan& plan) {
  const stepscope_options options = Options(path, plan.budget);
  if (stepscope_start(&options) != STEPSCOPE_OK) _exit(3);
  std::thread threads[kThreads];
  for (int t = 0; t < kThreads; ++t)
    threads[t] = std::thread(RecordUntilKilled, page, plan, t);
  page->started.store(1);
  if (plan.stop_after_us > 0) {
    usleep(static_cast<useconds_t>(plan.stop_after_us));
    page->stopping.store(true);
    for (auto& thread : threads) thread.join();
    stepscope_stop();
  }
  for (;;) pause();
}

// What is wrong with the capture of a killed child; "" if nothing is.
std::string Check(const SharedPage& page, const std::string& path,
                  uint64_t* recovered) {
  std::ostringstream wrong;
  const auto loaded = ImportFile(path);
  if (!loaded) return loaded.error().message;
  const Trace& trace = **loaded;
  for (int t = 0; t < kThreads; ++t) {
    const uint64_t attempted = page.threads[t].attempted.load();
    const uint64_t completed = page.threads[t].completed.load();
    const ThreadReport* report = FindThread(trace, ThreadName(t));
    if (report == nullptr) {
      if (attempted > 1) wrong << ThreadName(t) << " is missing; ";
      continue;
    }
    *recovered += report->recorded;
    const uint64_t dropped = Dropped(*report);
    // The last attempt may not have come as far as its first store.
    const uint64_t known = report->recorded + dropped;
    if (known > attempted || known + 1 < attempted)
      wrong << ThreadName(t) << ": " << attempted << " attempted, "
            << report->recorded << " recorded, " << dropped << " dropped; ";
    // While events drop, so may the end of one that was begun before.
    const uint64_t open = report->open_scopes.size();
    if (dropped == 0 && report->recorded - open < completed)
      wrong << ThreadName(t) << ": " << attempted << " attempted, " << completed
            << " completed, but " << report->recorded << " recorded, " << open
            << " of them open, and " << report->side_dropped
            << " side records dropped; ";
    // One outer, one inner, at most.
    if (open > 2 && dropped == 0) wrong << open << " scopes open; ";
    for (const Row row : report->open_scopes) {
      const auto name = trace.str(trace.name()[row]);
      if (name != "outer" && name != "inner")
        wrong << "open scope '" << name << "'; ";
    }
  }
  for (Row row = 0; row < trace.size(); ++row) {
    const auto name = trace.str(trace.name()[row]);
    if (name != "outer" && name != "inner")
      wrong << "event '" << name << "' was never recorded; ";
    if (trace.dur_ns()[row] < 0) wrong << "negative duration; ";
  }
  return wrong.str();
}

class Kill : public ::testing::Test {
 protected:
  Kill() {
    void* shared = mmap(nullptr, sizeof(SharedPage), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    page_ = new (shared) SharedPage();
  }
  ~Kill() override { munmap(page_, sizeof(SharedPage)); }

  // Runs one child to its death; the capture's path.
  std::string Run(const TempFolder& folder, const Plan& plan) {
    page_ = new (page_) SharedPage();
    const std::string path = folder / "killed.sscap";
    const pid_t pid = fork();
    if (pid == 0) Child(page_, path, plan);
    pid_ = pid;
    while (page_->started.load() == 0) {
      int status = 0;
      if (waitpid(pid, &status, WNOHANG) == pid) {
        ADD_FAILURE() << "the child ended by itself: " << status;
        return path;
      }
      usleep(20);  // not to take the processor that the child needs
    }
    usleep(static_cast<useconds_t>(plan.kill_after_us));
    // On a busy machine the threads may not have begun by then.
    for (int i = 0; i < 10000; ++i) {
      if (page_->threads[0].completed.load() >= plan.kill_after_events) break;
      usleep(1000);
    }
    kill(pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return path;
  }

  // Also the one that a kill during start or stop left without a link.
  void RemoveLive(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove(path + ".live", ignored);
    const std::string prefix = "stepscope-" + std::to_string(pid_) + "-";
    for (const auto& file :
         std::filesystem::directory_iterator("/dev/shm", ignored))
      if (file.path().filename().string().rfind(prefix, 0) == 0)
        std::filesystem::remove(file.path(), ignored);
  }

  pid_t pid_ = 0;
  SharedPage* page_ = nullptr;
};

TEST_F(Kill, TheHarnessNoticesALostLiveFile) {
  // The planted defect: what only the live file holds is gone.
  TempFolder folder;
  const std::string path = Run(folder, {0, false, 0, 3000, 100});
  uint64_t recovered = 0;
  EXPECT_EQ(Check(*page_, path, &recovered), "");
  RemoveLive(path);
  EXPECT_NE(Check(*page_, path, &recovered), "");
}

// The optimised tree makes all thousand. A sanitizer looks for other faults,
// and each kill costs twice as much under it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kKills = 200;
#else
constexpr int kKills = 1000;
#endif

TEST_F(Kill, AThousandRandomPointsLoseNoCompletedEvent) {
  std::mt19937 rng(20260);
  const uint64_t budgets[] = {0, 0, 0, 1 << 20};
  uint64_t recovered = 0;
  const char* runs_given = std::getenv("STEPSCOPE_KILLS");
  const int runs = runs_given != nullptr ? std::atoi(runs_given) : kKills;
  for (int i = 0; i < runs; ++i) {
    TempFolder folder;
    Plan plan{budgets[rng() % 4], rng() % 2 == 0, 0,
              static_cast<int>(rng() % 10000)};
    // A third of the time the kill falls near a stop in progress.
    if (i % 3 == 0) {
      plan.stop_after_us = 1 + static_cast<int>(rng() % 5000);
      plan.kill_after_us = plan.stop_after_us + static_cast<int>(rng() % 3000);
    }
    const std::string path = Run(folder, plan);
    const std::string wrong = Check(*page_, path, &recovered);
    RemoveLive(path);
    ASSERT_EQ(wrong, "") << "run " << i << ", budget " << plan.budget
                         << ", stop after " << plan.stop_after_us
                         << " us, killed after " << plan.kill_after_us << " us";
  }
  std::printf("%d kills, %llu events recovered, none lost\n", runs,
              static_cast<unsigned long long>(recovered));
}

}  // namespace
}  // namespace stepscope
