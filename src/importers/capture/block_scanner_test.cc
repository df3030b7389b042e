// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/block_scanner.h"

#include <gtest/gtest.h>

#include "base/cpu_time.h"
#include "importers/capture/sample_capture_test_support.h"

namespace stepscope::capture {
namespace {

BlockList Scan(const std::string& bytes) {
  const TempFolder folder;
  const Result<File> file =
      File::OpenForReading(folder.Write("x.sscap", bytes));
  EXPECT_TRUE(file);
  Result<BlockList> list = ScanBlocks(*file);
  EXPECT_TRUE(list);
  return *std::move(list);
}

std::string Blocks(int count, size_t payload) {
  CaptureWriter w;
  for (int i = 0; i < count; ++i) w.Block(9, 1, std::string(payload, 'x'));
  return w.bytes();
}

TEST(BlockScannerTest, FindsEveryBlock) {
  const BlockList list = Scan(Blocks(5, 13));
  ASSERT_TRUE(list.header);
  ASSERT_EQ(list.blocks.size(), 5u);
  EXPECT_EQ(list.blocks[1].offset, 64u + 48);
  EXPECT_EQ(list.blocks[4].header.seq, 4u);
  EXPECT_EQ(list.skipped_bytes, 0u);
}

TEST(BlockScannerTest, GoesOnBehindAnyAmountOfRubbish) {
  for (const size_t rubbish : {8u, 4064u, 4072u, 100'000u, 1'000'000u}) {
    std::string bytes = CaptureWriter().bytes() + std::string(rubbish, 'r');
    bytes += Blocks(1, 8).substr(64);
    const BlockList list = Scan(bytes);
    ASSERT_EQ(list.blocks.size(), 1u) << rubbish;
    EXPECT_EQ(list.blocks[0].offset, 64 + rubbish);
    EXPECT_EQ(list.skipped_bytes, rubbish);
    EXPECT_EQ(list.first_skipped, 64u);
  }
}

TEST(BlockScannerTest, TornBlockIsMarked) {
  std::string bytes = Blocks(2, 100);
  bytes.resize(bytes.size() - 10);
  const BlockList list = Scan(bytes);
  ASSERT_EQ(list.blocks.size(), 2u);
  EXPECT_FALSE(list.blocks[0].torn);
  EXPECT_TRUE(list.blocks[1].torn);
}

// Headers that promise more than there is, by the thousand: each costs little.
TEST(BlockScannerTest, ManyTornHeadersTakeNoTime) {
  CaptureWriter w;
  for (int i = 0; i < 5'000; ++i) w.Block(9, 1, "");
  std::string bytes = w.bytes();
  for (const size_t at : w.blocks()) {
    bytes[at + 14] = 1;  // 2^48 bytes
    FixCrc(bytes, at);
  }
  const double before = CpuSeconds();
  EXPECT_EQ(Scan(bytes).blocks.size(), 5'000u);
  EXPECT_LT(CpuSeconds() - before, 20 * kCpuFactor);
}

}  // namespace
}  // namespace stepscope::capture
