// SPDX-License-Identifier: Apache-2.0
//
// What saving a window costs, counted by the bytes that the recorder reads
// back: it must depend on what the window holds and on what is new, not on all
// that was ever recorded.
#include <gtest/gtest.h>
#include <stepscope/c.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "recorded.h"

namespace {
std::atomic<uint64_t> bytes_read{0};
}  // namespace

// In place of the C library's.
extern "C" ssize_t pread(int fd, void* out, size_t count, off_t offset) {
  bytes_read.fetch_add(count, std::memory_order_relaxed);
  return syscall(SYS_pread64, fd, out, count, offset);
}
extern "C" ssize_t pread64(int fd, void* out, size_t count, off_t offset) {
  return pread(fd, out, count, offset);
}

namespace stepscope {
namespace {

using testing::Load;
using testing::Options;
using testing::TempFolder;

constexpr int kWindows = 40;
// Of each window, whatever it holds: blocks around it, a mark's distance.
constexpr uint64_t kSlack = 128 * 1024;

uint64_t RecordStep() {
  const stepscope_scope scope = stepscope_begin("step", STEPSCOPE_PROFILE_STEP);
  for (int i = 0; i < 300; ++i)
    stepscope_end(stepscope_begin("op", STEPSCOPE_OPERATOR));
  stepscope_end(scope);
  return scope.begin;
}

struct Cost {
  uint64_t read = 0;
  uint64_t saved = 0;  // bytes of all windows
  uint64_t capture = 0;
};

// Saves windows of the last of many steps. `between` comes before each step.
template <typename Between>
Cost SaveWindows(Between between) {
  const TempFolder folder;
  const std::string path = folder / "x.sscap";
  const stepscope_options options = Options(path);
  EXPECT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  const stepscope_scope open = stepscope_begin("epoch", STEPSCOPE_USER_DEFINED);
  Cost cost;
  for (int i = 0; i < kWindows; ++i) {
    uint64_t begin = 0;
    for (int step = 0; step < 50; ++step) {
      between();
      begin = RecordStep();
    }
    const std::string saved = folder / ("w" + std::to_string(i) + ".sscap");
    const uint64_t before = bytes_read.load();
    EXPECT_EQ(stepscope_save_window(saved.c_str(), begin, "", 60000),
              STEPSCOPE_OK)
        << stepscope_last_error();
    cost.read += bytes_read.load() - before;
    cost.saved += std::filesystem::file_size(saved);
    // It began long before all blocks that are read.
    const auto window = Load(saved);
    if (window == nullptr) break;
    const Row epoch = testing::FindEvent(*window, "epoch");
    EXPECT_NE(epoch, kNoRow) << i;
    EXPECT_EQ(testing::CountByName(*window)["step"], 1u) << i;
    EXPECT_EQ(testing::CountByName(*window)["op"], 300u) << i;
  }
  stepscope_end(open);
  stepscope_stop();
  EXPECT_EQ(stepscope_wait(stepscope_session(), 60000), STEPSCOPE_OK);
  cost.capture = std::filesystem::file_size(path);
  return cost;
}

// Each block is looked at once, and those of the window once more.
void ExpectInProportion(const Cost& cost) {
  EXPECT_LT(cost.read, 4 * (cost.capture + cost.saved) + kWindows * kSlack)
      << cost.capture << " bytes recorded, " << cost.saved << " saved";
  std::printf("%llu bytes recorded, %llu saved, %llu read\n",
              static_cast<unsigned long long>(cost.capture),
              static_cast<unsigned long long>(cost.saved),
              static_cast<unsigned long long>(cost.read));
}

TEST(WindowCost, DoesNotGrowWithWhatWasRecordedBefore) {
  ExpectInProportion(SaveWindows([] {}));
}

TEST(WindowCost, DoesNotGrowWithThreadsThatHaveEnded) {
  ExpectInProportion(SaveWindows([] {
    std::thread([] {
      for (int i = 0; i < 20; ++i)
        stepscope_end(stepscope_begin("short", STEPSCOPE_OPERATOR));
    }).join();
  }));
}

}  // namespace
}  // namespace stepscope
