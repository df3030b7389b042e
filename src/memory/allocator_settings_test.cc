// SPDX-License-Identifier: Apache-2.0
#include "memory/allocator_settings.h"

#include <gtest/gtest.h>

namespace stepscope::memory {
namespace {

TEST(AllocatorSettingsTest, SizesAreThoseOfTorch) {
  const AllocatorSettings defaults;
  EXPECT_EQ(RoundSize(1, defaults), 512);
  EXPECT_EQ(RoundSize(513, defaults), 1024);
  EXPECT_EQ(RoundSize(300'000'000, defaults), 300'000'256);
  EXPECT_EQ(SegmentSize(512), 2 * kMiB);
  EXPECT_EQ(SegmentSize(kMiB), 2 * kMiB);
  EXPECT_EQ(SegmentSize(kMiB + 512), 20 * kMiB);
  EXPECT_EQ(SegmentSize(10 * kMiB), 10 * kMiB);
  EXPECT_EQ(SegmentSize(300'000'256), 301'989'888);
}

TEST(AllocatorSettingsTest, DivisionsOfAPowerOfTwo) {
  const auto four = ParseSettings("roundup_power2_divisions:4");
  ASSERT_TRUE(four);
  EXPECT_EQ(RoundSize(1200, *four), 1536);  // too small to be divided
  EXPECT_EQ(RoundSize(1200 * 1024, *four), 1280 * 1024);
  EXPECT_EQ(RoundSize(1024 * 1024, *four), 1024 * 1024);
  const auto list = ParseSettings("roundup_power2_divisions:[256:1,512:2,>:8]");
  ASSERT_TRUE(list);
  EXPECT_EQ(RoundSize(300 * kMiB, *list), 300 * kMiB);
  EXPECT_EQ(RoundSize(600 * kMiB, *list), 768 * kMiB);
  EXPECT_EQ(RoundSize(1100 * kMiB, *list), 1152 * kMiB);
  EXPECT_EQ(RoundSize(100 * kMiB + 1, *list), 100 * kMiB + 512);
}

TEST(AllocatorSettingsTest, TextAndBack) {
  for (const char* text :
       {"", "expandable_segments:True", "max_split_size_mb:128",
        "garbage_collection_threshold:0.8,max_split_size_mb:64",
        "roundup_power2_divisions:8"}) {
    const auto settings = ParseSettings(text);
    ASSERT_TRUE(settings) << text;
    EXPECT_EQ(SettingsText(*settings), text);
  }
}

TEST(AllocatorSettingsTest, WhatMakesNoSenseIsRefused) {
  for (const char* text :
       {"max_split_size_mb", "max_split_size_mb:20", "max_split_size_mb:x",
        "max_split_size_mb:64,max_split_size_mb:128", "expandable_segments:yes",
        "garbage_collection_threshold:1.5", "garbage_collection_threshold:nan",
        "roundup_power2_divisions:3", "roundup_power2_divisions:[256:1",
        "roundup_power2_divisions:[512:1,4:2]", "backend:cudaMallocAsync",
        "expandable_segments:True,max_split_size_mb:64"}) {
    const auto settings = ParseSettings(text);
    ASSERT_FALSE(settings) << text;
    EXPECT_EQ(settings.error().message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace stepscope::memory
