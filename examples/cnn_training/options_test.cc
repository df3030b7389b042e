// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace cnn {
namespace {

ParsedOptions Parse(std::vector<const char*> args) {
  return ParseOptions(args);
}

TEST(OptionsTest, Defaults) {
  const ParsedOptions parsed = Parse({});
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.options.loader_threads, 1);
  EXPECT_TRUE(parsed.options.profile);
}

TEST(OptionsTest, BothSpellings) {
  const ParsedOptions parsed =
      Parse({"--steps", "7", "--loader-threads=4", "--batch=8", "--out", "d",
             "--storage-latency-ms=5", "--profile=2:6", "--no-profile"});
  ASSERT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.options.steps, 7);
  EXPECT_EQ(parsed.options.loader_threads, 4);
  EXPECT_EQ(parsed.options.batch, 8);
  EXPECT_EQ(parsed.options.out, "d");
  EXPECT_EQ(parsed.options.storage_latency_ms, 5);
  EXPECT_EQ(parsed.options.profile_begin, 2);
  EXPECT_EQ(parsed.options.profile_end, 6);
  EXPECT_FALSE(parsed.options.profile);
}

TEST(OptionsTest, ForeverRecordsEverythingUnlessToldOtherwise) {
  EXPECT_EQ(Parse({"--forever"}).options.profile_begin, 0);
  EXPECT_GT(Parse({"--forever"}).options.profile_end, 1'000'000);
  EXPECT_EQ(Parse({"--profile=3:5", "--forever"}).options.profile_end, 5);
}

TEST(OptionsTest, ErrorsNameTheOption) {
  for (const char* bad :
       {"--steps=0", "--steps=x", "--steps=1x", "--steps=", "--steps",
        "--batch=2000", "--loader-threads=0", "--profile=5", "--profile=5:5",
        "--profile=-1:5", "--storage-latency-ms=-1", "--out=", "--nonsense",
        "steps"}) {
    const std::string name = std::string(bad).substr(0, 5);
    EXPECT_NE(Parse({bad}).error.find(name), std::string::npos) << bad;
  }
}

}  // namespace
}  // namespace cnn
