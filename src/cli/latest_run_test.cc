// SPDX-License-Identifier: Apache-2.0
#include "cli/latest_run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace stepscope {
namespace {

namespace fs = std::filesystem;

class LatestRunTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        ("latest_run_" +
         std::string(
             testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A file whose time is so many hours after a fixed one.
  void Write(const std::string& name, int hours) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
    fs::last_write_time(path, fs::file_time_type() + std::chrono::hours(hours));
  }
  LatestRun Find() { return FindLatestRun(folder_.string()); }

  fs::path folder_;
};

TEST_F(LatestRunTest, TheRunThatWroteLast) {
  Write("run_b/1.sscap", 1);
  Write("run_a/1.sscap", 2);
  Write("run_a/2.sscap", 5);
  Write("run_c/1.sscap", 3);
  const LatestRun latest = Find();
  EXPECT_EQ(latest.path, (folder_ / "run_a").string());
  EXPECT_EQ(latest.runs, 3u);
}

TEST_F(LatestRunTest, OfEqualTimesTheLaterName) {
  Write("run_1/1.sscap", 1);
  Write("run_2/1.sscap", 1);
  EXPECT_EQ(Find().path, (folder_ / "run_2").string());
}

TEST_F(LatestRunTest, LooseTracesAreMeantThemselves) {
  Write("run_a/1.sscap", 1);
  Write("rank0.json", 2);
  EXPECT_EQ(Find().path, folder_.string());
  EXPECT_EQ(Find().runs, 0u);
}

TEST_F(LatestRunTest, FoldersWithoutCapturesAreNoRuns) {
  Write("notes/readme.txt", 1);
  EXPECT_EQ(Find().path, folder_.string());
  EXPECT_EQ(Find().runs, 0u);
  EXPECT_EQ(FindLatestRun("-").path, "-");
  EXPECT_EQ(FindLatestRun("no/such/folder").path, "no/such/folder");
}

}  // namespace
}  // namespace stepscope
