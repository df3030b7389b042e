// SPDX-License-Identifier: Apache-2.0
#include "collector/unrecorded_steps.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace stepscope::collector {
namespace {

class UnrecordedStepsTest : public testing::Test {
 protected:
  UnrecordedStepsTest()
      : path_(testing::TempDir() + "stepscope_unrecorded_" +
              std::to_string(getpid())) {
    unlink(path_.c_str());
    AddUnrecordedStep(0);
  }
  ~UnrecordedStepsTest() override { unlink(path_.c_str()); }

  // A complete capture, or what stands for one.
  void Complete() {
    const uint8_t ring[16] = {};
    CaptureFile file;
    ASSERT_TRUE(file.Create(path_.c_str(), 1, ring));
    file.AppendSmall(format::BlockKind::kEnd, "12345678", 8);
    size_ = file.bytes();
    AppendUnrecordedSteps(path_.c_str(), &file);
    file.Close();
  }
  // What is behind it.
  std::string Behind() const {
    std::ifstream file(path_, std::ios::binary);
    std::string all{std::istreambuf_iterator<char>(file), {}};
    return all.size() < size_ ? "cut" : all.substr(size_);
  }
  void ExpectBehind(const std::string& times) const {
    const std::string text = Behind();
    const std::string key = "unprofiled_times_ns";
    const size_t at = text.find(key);
    ASSERT_NE(at, text.npos);
    EXPECT_EQ(at, text.rfind(key));
    // The block is padded with zeros.
    EXPECT_EQ(text.substr(at + key.size()).c_str(), times);
  }

  std::string path_;
  uint64_t size_ = 0;
};

TEST_F(UnrecordedStepsTest, NothingIsSaidOfNothing) {
  Complete();
  EXPECT_EQ(Behind(), "");
}

TEST_F(UnrecordedStepsTest, OfOneLoopAllButTheFirst) {
  for (const int64_t ns : {9000, 500, 100, 104}) AddUnrecordedStep(ns);
  Complete();
  ExpectBehind("500 100 104");
}

TEST_F(UnrecordedStepsTest, LaterStepsReplaceIt) {
  for (const int64_t ns : {9000, 500, 100, 104}) AddUnrecordedStep(ns);
  Complete();
  AddUnrecordedStep(106);
  ExpectBehind("500 100 104 106");
  AddUnrecordedStep(108);
  ExpectBehind("500 100 104 106 108");
  AddUnrecordedStep(900);  // the third waits for a fourth
  ExpectBehind("500 100 104 106 108");
  AddUnrecordedStep(110);
  ExpectBehind("500 100 104 106 108 900 110");
}

TEST_F(UnrecordedStepsTest, TheLatestAreKept) {
  for (int i = 0; i < 100; ++i) AddUnrecordedStep(1000 + i);
  Complete();
  std::string latest;
  for (int i = 68; i < 100; ++i)
    latest += (latest.empty() ? "" : " ") + std::to_string(1000 + i);
  ExpectBehind(latest);
}

TEST_F(UnrecordedStepsTest, StepsMayBeLong) {
  std::string all;
  for (int i = 0; i < 40; ++i) AddUnrecordedStep(INT64_MAX);
  for (int i = 0; i < 32; ++i)
    all += (all.empty() ? "" : " ") + std::to_string(INT64_MAX);
  Complete();
  ExpectBehind(all);
}

TEST_F(UnrecordedStepsTest, AFileThatSomebodyChangedIsLeftAlone) {
  Complete();
  std::ofstream(path_, std::ios::app) << "mine";
  for (int i = 0; i < 10; ++i) AddUnrecordedStep(100);
  EXPECT_EQ(Behind(), "mine");
}

TEST_F(UnrecordedStepsTest, AFileThatIsGoneStaysGone) {
  Complete();
  unlink(path_.c_str());
  for (int i = 0; i < 10; ++i) AddUnrecordedStep(100);
  EXPECT_NE(access(path_.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace stepscope::collector
