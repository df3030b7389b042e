// SPDX-License-Identifier: Apache-2.0
#include "profiler/capture_window.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "profiler/trace_tools.h"

namespace stepscope::profiler {
namespace {

namespace fs = std::filesystem;

class CaptureWindowTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/capture_window_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_TRUE(ReplaceFile(folder_ / "a.sscap", "what was recorded"));
  }
  void TearDown() override { fs::remove_all(folder_); }

  size_t Files() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_))
      ++count;
    return count;
  }

  fs::path folder_;
};

TEST_F(CaptureWindowTest, ACopyIsWholeAndAlone) {
  CaptureWindow window(folder_ / "a.sscap", 1, 0, DefaultTraceTools());
  ASSERT_TRUE(window.CopyTo(folder_ / "b.sscap"));
  EXPECT_EQ(*ReadFile(folder_ / "b.sscap"), "what was recorded");
  EXPECT_EQ(Files(), 2u);
}

// Folders that others may write to: a link that was put where the unfinished
// copy would lie led to any file of the user.
TEST_F(CaptureWindowTest, NoLinkIsWrittenThrough) {
  ASSERT_TRUE(ReplaceFile(folder_ / "victim", "untouched"));
  const std::string copy = folder_ / "b.sscap";
  fs::create_symlink("victim", copy + "." + std::to_string(getpid()) + ".part");
  CaptureWindow window(folder_ / "a.sscap", 1, 0, DefaultTraceTools());
  ASSERT_TRUE(window.CopyTo(copy));
  EXPECT_EQ(*ReadFile(folder_ / "victim"), "untouched");
  EXPECT_EQ(*ReadFile(copy), "what was recorded");
  EXPECT_FALSE(fs::is_symlink(copy));
}

TEST_F(CaptureWindowTest, AFailureLeavesNothingBehind) {
  CaptureWindow window(folder_ / "a.sscap", 1, 0, DefaultTraceTools());
  EXPECT_FALSE(window.CopyTo(folder_ / "missing" / "b.sscap"));
  fs::create_directory(folder_ / "c.sscap");
  EXPECT_FALSE(window.CopyTo(folder_ / "c.sscap"));
  EXPECT_EQ(Files(), 2u);
}

}  // namespace
}  // namespace stepscope::profiler
