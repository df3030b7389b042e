// SPDX-License-Identifier: Apache-2.0
//
// Sessions that keep a window, and windows that are saved while recording goes
// on: what is kept, what is not, and that every file is a whole capture.
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "recorded.h"

namespace stepscope {
namespace {

using testing::Load;
using testing::Options;
using testing::TempFolder;

constexpr int kPerStep = 300;

uint64_t RecordStep(int step) {
  const std::string name = "step " + std::to_string(step);
  const stepscope_scope scope =
      stepscope_begin(name.c_str(), STEPSCOPE_PROFILE_STEP);
  for (int i = 0; i < kPerStep; ++i) {
    const stepscope_scope op = stepscope_begin("op", STEPSCOPE_OPERATOR);
    if (i % 50 == 0) stepscope_arg_i64(op, "i", i);
    stepscope_end(op);
  }
  stepscope_end(scope);
  return scope.begin;
}

std::string NameOf(const Trace& trace, Row row) {
  return std::string(trace.str(trace.name()[row]));
}

std::set<std::string> NamesIn(const Trace& trace, uint16_t type) {
  std::set<std::string> names;
  for (Row row = 0; row < trace.size(); ++row)
    if (trace.type()[row] == type) names.insert(NameOf(trace, row));
  return names;
}

uint64_t Rejected(const Trace& trace) {
  uint64_t sum = 0;
  for (const auto& [reason, bin] : trace.ledger().rejected()) sum += bin.count;
  return sum;
}

TEST(Window, OldStepsAreDiscardedAndTheFileStaysSmall) {
  const TempFolder folder;
  const std::string path = folder / "x.sscap";
  const stepscope_options options = Options(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  const uint64_t session = stepscope_session();
  const stepscope_scope open = stepscope_begin("epoch", STEPSCOPE_USER_DEFINED);
  std::vector<uint64_t> begins;
  const auto record_step = [&] {
    begins.push_back(RecordStep(static_cast<int>(begins.size())));
    if (begins.size() > 20) stepscope_keep_window(begins.end()[-20], 0);
  };
  while (begins.size() < 2000) record_step();
  // 600,000 events are at least 2.4 MB; the window is a hundredth of that. The
  // writer may see the first of them late and the last of them later: the file
  // becomes small as the program goes on. Only the test's own timeout ends
  // this.
  while (std::filesystem::file_size(path) >= 1 << 20 ||
         NamesIn(*Load(path), STEPSCOPE_PROFILE_STEP).contains("step 0")) {
    record_step();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  stepscope_end(open);
  ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
  ASSERT_EQ(stepscope_wait(session, 60000), STEPSCOPE_OK);
  const auto trace = Load(path);
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(Rejected(*trace), 0u);
  EXPECT_TRUE(trace->complete());
  const auto steps = NamesIn(*trace, STEPSCOPE_PROFILE_STEP);
  for (size_t step = begins.size() - 20; step < begins.size(); ++step)
    EXPECT_TRUE(steps.contains("step " + std::to_string(step))) << step;
  EXPECT_FALSE(steps.contains("step 0"));
  // Began long before the window, ended in it.
  EXPECT_TRUE(NamesIn(*trace, STEPSCOPE_USER_DEFINED).contains("epoch"));
  // Where the writer is held up, ends of steps may find no room: docs say so.
  for (const ThreadReport& thread : trace->threads())
    for (const Row row : thread.open_scopes)
      EXPECT_NE(NameOf(*trace, row), "ended");
}

TEST(Window, ASavedWindowIsExactAndCompleteAndRecordingGoesOn) {
  const TempFolder folder;
  const std::string path = folder / "x.sscap";
  const std::string saved = folder / "incident/x.sscap";
  const stepscope_options options = Options(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  const uint64_t session = stepscope_session();
  uint64_t begins[100];
  for (int step = 0; step < 100; ++step) begins[step] = RecordStep(step);
  const stepscope_scope open =
      stepscope_begin("gloo:all_reduce", STEPSCOPE_COMMUNICATION);
  ASSERT_EQ(stepscope_save_window(saved.c_str(), begins[90], "a test", 60000),
            STEPSCOPE_OK)
      << stepscope_last_error();
  RecordStep(100);
  stepscope_end(open);
  ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
  ASSERT_EQ(stepscope_wait(session, 60000), STEPSCOPE_OK);

  const auto window = Load(saved);
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(Rejected(*window), 0u);
  EXPECT_TRUE(window->complete());
  std::set<std::string> expected;
  for (int step = 90; step < 100; ++step)
    expected.insert("step " + std::to_string(step));
  EXPECT_EQ(NamesIn(*window, STEPSCOPE_PROFILE_STEP), expected);
  std::set<std::string> open_names;
  for (const ThreadReport& thread : window->threads())
    for (const Row row : thread.open_scopes)
      open_names.insert(NameOf(*window, row));
  EXPECT_EQ(open_names, std::set<std::string>{"gloo:all_reduce"});

  const auto whole = Load(path);
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(Rejected(*whole), 0u);
  EXPECT_EQ(NamesIn(*whole, STEPSCOPE_PROFILE_STEP).size(), 101u);
}

// A thread costs so much more under ThreadSanitizer that twenty windows take
// minutes there; it sees a race in the first of them as well.
#if defined(__SANITIZE_THREAD__)
constexpr int kWindows = 5;
#else
constexpr int kWindows = 20;
#endif

TEST(Window, ThreadsComeAndGoWhileWindowsAreSaved) {
  const TempFolder folder;
  const std::string path = folder / "x.sscap";
  const stepscope_options options = Options(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> from{stepscope_tick()};
  std::thread recorder([&] {
    for (int step = 0; !stop.load(); ++step) {
      from.store(RecordStep(step % 1000));
      std::thread([] { RecordStep(7); }).join();
    }
  });
  for (int i = 0; i < kWindows; ++i) {
    const std::string saved = folder / ("w" + std::to_string(i) + ".sscap");
    const uint64_t begin = from.load();
    stepscope_keep_window(begin, 0);
    ASSERT_EQ(stepscope_save_window(saved.c_str(), begin, "", 60000),
              STEPSCOPE_OK)
        << stepscope_last_error();
    const auto window = Load(saved);
    ASSERT_NE(window, nullptr);
    EXPECT_EQ(Rejected(*window), 0u);
  }
  stop.store(true);
  recorder.join();
  stepscope_stop();
  ASSERT_EQ(stepscope_wait(stepscope_session(), 60000), STEPSCOPE_OK);
}

// The end is in the file, and old, long before the event itself gets there.
TEST(Window, AnEndWaitsForAnEventThatIsStillInTheRing) {
  const TempFolder folder;
  const std::string path = folder / "x.sscap";
  const stepscope_options options = Options(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  const uint64_t session = stepscope_session();
  const stepscope_scope ended = stepscope_begin("ended", STEPSCOPE_OPERATOR);
  std::thread([&] {
    stepscope_end(ended);
    // Until the file was written anew; only the test's own timeout ends this.
    uint64_t before = 0;
    for (uint64_t bytes = 0;; before = bytes) {
      stepscope_keep_window(RecordStep(7), 0);
      bytes = std::filesystem::file_size(path);
      if (bytes < before) break;
    }
  }).join();
  ASSERT_EQ(stepscope_stop(), STEPSCOPE_OK);
  ASSERT_EQ(stepscope_wait(session, 60000), STEPSCOPE_OK);
  const auto trace = Load(path);
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(Rejected(*trace), 0u);
  EXPECT_TRUE(NamesIn(*trace, STEPSCOPE_OPERATOR).contains("ended"));
  // Where the writer is held up, ends of steps may find no room: docs say so.
  for (const ThreadReport& thread : trace->threads())
    for (const Row row : thread.open_scopes)
      EXPECT_NE(NameOf(*trace, row), "ended");
}

TEST(Window, NothingIsSavedWhereNothingIsRecorded) {
  const TempFolder folder;
  const std::string saved = folder / "x.sscap";
  EXPECT_EQ(stepscope_save_window(saved.c_str(), 0, "", 1000),
            STEPSCOPE_NOT_RUNNING);
  EXPECT_FALSE(std::filesystem::exists(saved));
}

TEST(Window, AWindowThatDoesNotFitIsShortened) {
  const TempFolder folder;
  const std::string path = folder / "x.sscap";
  const stepscope_options options = Options(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  const uint64_t first = RecordStep(0);
  stepscope_keep_window(first, 1 << 20);
  // Until the writer has had to let the first step go; only the test's own
  // timeout ends this. Whoever reads a file that is being written may miss what
  // goes over from the ring to the file meanwhile, so one look is not enough.
  int step = 0;
  for (int absent = 0; absent < 3;) {
    for (int i = 0; i < 500; ++i) RecordStep(++step);
    const bool there =
        NamesIn(*Load(path), STEPSCOPE_PROFILE_STEP).contains("step 0");
    absent = there ? 0 : absent + 1;
  }
  stepscope_stop();
  ASSERT_EQ(stepscope_wait(stepscope_session(), 60000), STEPSCOPE_OK);
  const auto trace = Load(path);
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(Rejected(*trace), 0u);
  const auto steps = NamesIn(*trace, STEPSCOPE_PROFILE_STEP);
  EXPECT_FALSE(steps.contains("step 0"));
  EXPECT_TRUE(steps.contains("step " + std::to_string(step)));
}

}  // namespace
}  // namespace stepscope
