// SPDX-License-Identifier: Apache-2.0
#include "base/executor.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/forking_tests.h"

namespace stepscope {
namespace {

// Lets a task wait until another has reached a point.
class Gate {
 public:
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

TEST(ExecutorTest, EveryTaskRunsOnce) {
  for (const size_t threads : {1, 2, 4}) {
    Executor executor(threads);
    EXPECT_EQ(executor.threads(), threads);
    for (const size_t count : {0, 1, 2, 3, 1000}) {
      std::vector<std::atomic<int>> called(count);
      executor.ForEach(count, [&](size_t i) { ++called[i]; });
      for (const auto& times : called) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ExecutorTest, OneThreadIsTheCallerAndInOrder) {
  Executor executor(1);
  std::vector<size_t> order;
  const auto caller = std::this_thread::get_id();
  executor.ForEach(5, [&](size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
  });
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(executor.TryStart([] {}), nullptr);
}

// Three levels of work inside work, none of which may wait for a thread.
TEST(ExecutorTest, WorkInsideWorkDoesNotMultiplyThreads) {
  for (const size_t threads : {1, 2, 3, 5}) {
    Executor executor(threads);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<int> leaves = 0;
    executor.ForEach(6, [&](size_t) {
      executor.ForEach(5, [&](size_t) {
        executor.ForEach(4, [&](size_t) {
          ++leaves;
          const std::lock_guard lock(mutex);
          seen.insert(std::this_thread::get_id());
        });
      });
    });
    EXPECT_EQ(leaves, 6 * 5 * 4);
    EXPECT_LE(seen.size(), threads);
  }
}

TEST(ExecutorTest, TasksRunAtOnceWhereThereAreThreads) {
  Executor executor(2);
  Gate other;
  std::atomic<bool> waited = false;
  // Ends only if 1 runs while 0 does. 1 may be begun by either thread.
  executor.ForEach(2, [&](size_t i) {
    if (i == 1) return other.Open();
    other.Wait();
    waited = true;
  });
  EXPECT_TRUE(waited);
}

// What importers rely on who hand over chunks from the first task.
TEST(ExecutorTest, TasksMayWaitForLowerNumbers) {
  for (const size_t threads : {1, 2, 4}) {
    Executor executor(threads);
    Gate first;
    std::atomic<int> done = 0;
    executor.ForEach(8, [&](size_t i) {
      if (i == 0)
        first.Open();
      else
        first.Wait();
      ++done;
    });
    EXPECT_EQ(done, 8);
  }
}

TEST(ExecutorTest, SeveralCallersShareTheThreads) {
  Executor executor(3);
  std::atomic<int> done = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        executor.ForEach(3, [&](size_t) { ++done; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 4 * 200 * 3);
}

TEST(ExecutorTest, WhatATaskThrowsReachesTheCaller) {
  for (const size_t threads : {1, 3}) {
    Executor executor(threads);
    std::atomic<int> after = 0;
    EXPECT_THROW(executor.ForEach(1000,
                                  [&](size_t i) {
                                    if (i == 3) throw std::runtime_error("no");
                                    if (i > 900) ++after;
                                  }),
                 std::runtime_error);
    executor.ForEach(2, [&](size_t) { ++after; });
    EXPECT_GE(after, 2);
  }
}

TEST(ExecutorTest, CompanionsRunBesideTheCaller) {
  Executor executor(2);
  for (int round = 0; round < 100; ++round) {
    Gate mine;
    Gate theirs;
    const auto companion = executor.TryStart([&] {
      theirs.Open();
      mine.Wait();
    });
    ASSERT_NE(companion, nullptr);
    theirs.Wait();
    // Taken: who asks now works alone, whatever they do.
    EXPECT_EQ(executor.TryStart([] {}), nullptr);
    std::atomic<int> done = 0;
    executor.ForEach(10, [&](size_t) { ++done; });
    EXPECT_EQ(done, 10);
    mine.Open();
  }
}

// A companion is never promised a thread that a group keeps for itself.
TEST(ExecutorTest, CompanionsOfTasksAllRun) {
  for (const size_t threads : {2, 3, 4}) {
    Executor executor(threads);
    std::atomic<int> ran = 0;
    std::atomic<int> alone = 0;
    executor.ForEach(300, [&](size_t) {
      Gate begun;
      const auto companion = executor.TryStart([&] {
        ++ran;
        begun.Open();
      });
      if (companion == nullptr)
        ++alone;
      else
        begun.Wait();
    });
    EXPECT_EQ(ran + alone, 300);
  }
}

TEST(ExecutorTest, ThreadsTakeNoSignals) {
  Executor executor(2);
  const auto companion = executor.TryStart([] {
    sigset_t blocked;
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &blocked), 0);
    EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
    EXPECT_EQ(sigismember(&blocked, SIGINT), 1);
  });
  ASSERT_NE(companion, nullptr);
}

#if !defined(__SANITIZE_THREAD__)  // starts no threads after a fork
TEST(ExecutorTest, AForkedChildHasItsOwn) {
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
  std::atomic<int> done = 0;
  Executor* const ours = &Executor::Shared();
  EXPECT_EQ(&Executor::Shared(), ours);
  // Its threads wait, or are at work, when the process forks.
  ours->ForEach(50, [&](size_t) { ++done; });
  Gate end;
  const auto busy = ours->TryStart([&] { end.Wait(); });
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> here = 0;
    Executor& own = Executor::Shared();
    own.ForEach(50, [&](size_t) { ++here; });
    _exit(&own != ours && here == 50 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  end.Open();
}
#endif

// Ends by exit() while threads of the pool wait and work.
TEST(ExecutorTest, IdleThreadsDoNotHoldUpTheEndOfTheProcess) {
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer starts no threads after a fork";
#endif
  const pid_t child = fork();
  if (child == 0) {
    Executor::Shared().ForEach(8, [](size_t) {});
    std::exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace stepscope
