// SPDX-License-Identifier: Apache-2.0
#include "collector/error.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "collector/thread.h"

namespace stepscope::collector {
namespace {

std::string Said() { return stepscope_last_error(); }

TEST(LastErrorTest, EachThreadSeesItsOwnFailure) {
  std::latch both_failed(2);
  const auto fail = [&both_failed](const char* path, std::string* said) {
    const std::string below = std::string(path) + "/sub/x.sscap";
    stepscope_options options{};
    options.struct_size = sizeof(options);
    options.path = below.c_str();
    EXPECT_EQ(stepscope_start(&options), STEPSCOPE_IO);
    both_failed.arrive_and_wait();
    *said = Said();
  };
  std::string first, second;
  std::thread one(fail, "/proc/self/stat", &first);
  std::thread two(fail, "/proc/self/statm", &second);
  one.join();
  two.join();
  EXPECT_NE(first.find("/proc/self/stat/sub: "), std::string::npos) << first;
  EXPECT_NE(second.find("/proc/self/statm/sub: "), std::string::npos) << second;
  EXPECT_EQ(Said(), "");
}

TEST(LastErrorTest, TextsOfThreadsDoNotMix) {
  constexpr int kThreads = 100;
  std::latch all_failed(kThreads);
  std::vector<std::thread> threads;
  std::vector<std::string> said(kThreads);
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      const std::string mine = "thread " + std::to_string(i);
      stepscope_set_last_error(mine.c_str());
      const char* const text = stepscope_last_error();
      all_failed.arrive_and_wait();
      EXPECT_EQ(stepscope_last_error(), text);
      said[static_cast<size_t>(i)] = text;
    });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i)
    EXPECT_EQ(said[static_cast<size_t>(i)], "thread " + std::to_string(i));
  EXPECT_EQ(Said(), "");
}

TEST(LastErrorTest, ThreadsThatComeAndGoBeginWithoutError) {
  for (int i = 0; i < 200; ++i)
    std::thread([] {
      EXPECT_EQ(Said(), "");
      EXPECT_EQ(stepscope_stop(), STEPSCOPE_NOT_RUNNING);
      EXPECT_EQ(Said(), "no session is recording");
    }).join();
}

TEST(LastErrorTest, TheNextCallThatSucceedsClearsIt) {
  std::thread([] {
    stepscope_set_last_error("before");
    const char* const text = stepscope_last_error();
    stepscope_set_last_error(nullptr);
    EXPECT_EQ(Said(), "");
    EXPECT_STREQ(text, "before");  // still there for who holds it
  }).join();
}

TEST(LastErrorTest, EveryFailureHasAReason) {
  std::thread([] {
    char path[4096];
    stepscope_stats stats{};
    EXPECT_EQ(stepscope_session_path(77, path, sizeof(path)),
              STEPSCOPE_NOT_RUNNING);
    EXPECT_NE(Said().find("session 77"), std::string::npos) << Said();
    EXPECT_EQ(stepscope_wait(78, 0), STEPSCOPE_NOT_RUNNING);
    EXPECT_NE(Said().find("session 78"), std::string::npos) << Said();
    EXPECT_EQ(stepscope_get_stats(&stats), STEPSCOPE_INVALID);
    EXPECT_NE(Said().find("struct_size"), std::string::npos) << Said();
  }).join();
}

TEST(LastErrorTest, LongTextsAreCut) {
  std::thread([] {
    stepscope_set_last_error(std::string(2000, 'x').c_str());
    EXPECT_EQ(Said(), std::string(511, 'x'));
  }).join();
}

// The last tests: what they leave behind, every later thread sees.
TEST(LastErrorTestOfOwnThreads, IsSeenByThreadsWithoutFailure) {
  std::thread([] {
    stepscope_set_last_error("mine");
    std::thread([] {
      MarkBackgroundThread();
      SetLastError("disk %d is full", 7);
      EXPECT_EQ(Said(), "disk 7 is full");
    }).join();
    EXPECT_EQ(Said(), "mine");
    stepscope_set_last_error(nullptr);
    EXPECT_EQ(Said(), "disk 7 is full");
  }).join();
  EXPECT_EQ(Said(), "disk 7 is full");
}

TEST(LastErrorTestOfOwnThreads, AFailureWhileRecordingIsNotTheThreadsCall) {
  std::thread([] {
    stepscope_set_last_error("mine");
    {
      const Entered entered(&stepscope_thread_local_v1);
      SetLastError("no more chunks");
    }
    EXPECT_EQ(Said(), "mine");
  }).join();
  EXPECT_EQ(Said(), "no more chunks");
}

}  // namespace
}  // namespace stepscope::collector
