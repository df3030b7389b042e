// SPDX-License-Identifier: Apache-2.0
#include "memory/caching_allocator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "base/whole_or_part.h"

namespace stepscope::memory {
namespace {

TEST(CachingAllocatorTest, SmallBlocksShareASegment) {
  CachingAllocator allocator({});
  const uint32_t a = allocator.Allocate(0, 100);
  const uint32_t b = allocator.Allocate(0, 513);
  EXPECT_EQ(allocator.reserved(), 2 * kMiB);
  EXPECT_EQ(allocator.allocated(), 512 + 1024);
  EXPECT_EQ(allocator.address(b), allocator.address(a) + 512);
  allocator.Free(a);
  allocator.Free(b);
  EXPECT_EQ(allocator.allocated(), 0);
  EXPECT_EQ(allocator.largest_free(), 2 * kMiB);
  EXPECT_EQ(allocator.ReleaseFree(), 2 * kMiB);
  EXPECT_EQ(allocator.reserved(), 0);
}

TEST(CachingAllocatorTest, StreamsHaveTheirOwnBlocks) {
  CachingAllocator allocator({});
  allocator.Free(allocator.Allocate(0, 100));
  allocator.Allocate(1, 100);
  EXPECT_EQ(allocator.reserved(), 4 * kMiB);
}

TEST(CachingAllocatorTest, ARestThatIsTooSmallStaysInTheBlock) {
  CachingAllocator allocator({});
  const uint32_t block = allocator.Allocate(0, 11 * kMiB);  // of 12 MiB
  EXPECT_EQ(allocator.size(block), 12 * kMiB);
  EXPECT_EQ(allocator.allocated(), 12 * kMiB);
}

// 4 MiB between two blocks in use do not serve 6 MiB: a hole.
TEST(CachingAllocatorTest, AHoleForcesASegment) {
  CachingAllocator allocator({});
  std::vector<uint32_t> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(allocator.Allocate(0, 4 * kMiB));
  EXPECT_EQ(allocator.reserved(), 20 * kMiB);
  allocator.Free(blocks[1]);
  allocator.Free(blocks[3]);
  allocator.Allocate(0, 6 * kMiB);
  EXPECT_EQ(allocator.new_segment().bytes, 20 * kMiB);
  EXPECT_EQ(allocator.new_segment().free_bytes, 8 * kMiB);
  EXPECT_EQ(allocator.new_segment().largest_free, 4 * kMiB);
  // Pages that are mapped behind one another leave less.
  CachingAllocator growing(*ParseSettings("expandable_segments:True"));
  blocks.clear();
  for (int i = 0; i < 5; ++i) blocks.push_back(growing.Allocate(0, 4 * kMiB));
  growing.Free(blocks[3]);
  growing.Free(blocks[4]);
  growing.Allocate(0, 6 * kMiB);
  EXPECT_EQ(growing.reserved(), 20 * kMiB);
}

TEST(CachingAllocatorTest, OutOfMemoryAfterARetry) {
  CachingAllocator allocator({}, 100 * kMiB);
  allocator.Free(allocator.Allocate(0, 60 * kMiB));
  const uint32_t large = allocator.Allocate(0, 80 * kMiB);
  EXPECT_EQ(allocator.retries(), 1u);  // the cached 60 MiB were given back
  EXPECT_EQ(allocator.short_bytes(), 0);
  EXPECT_EQ(allocator.reserved(), 80 * kMiB);
  allocator.Allocate(0, 30 * kMiB);
  EXPECT_EQ(allocator.short_bytes(), 10 * kMiB);
  allocator.Free(large);
}

TEST(CachingAllocatorTest, GarbageIsCollectedAboveTheThreshold) {
  CachingAllocator allocator(*ParseSettings("garbage_collection_threshold:0.5"),
                             100 * kMiB);
  allocator.Free(allocator.Allocate(0, 60 * kMiB));
  allocator.Allocate(0, 70 * kMiB);
  EXPECT_EQ(allocator.retries(), 0u);
  EXPECT_EQ(allocator.reserved(), 70 * kMiB);
}

TEST(CachingAllocatorTest, BlocksAboveTheLimitAreNotSplit) {
  CachingAllocator allocator(*ParseSettings("max_split_size_mb:32"));
  allocator.Free(allocator.Allocate(0, 64 * kMiB));
  allocator.Allocate(0, 16 * kMiB);  // may not take of the 64
  EXPECT_EQ(allocator.reserved(), 80 * kMiB);
  const uint32_t large = allocator.Allocate(0, 50 * kMiB);
  EXPECT_EQ(allocator.size(large), 64 * kMiB);
}

// Whatever is done: no two blocks overlap, and the sums are right.
TEST(CachingAllocatorTest, RandomUseKeepsTheBooks) {
  for (const char* text :
       {"", "expandable_segments:True", "max_split_size_mb:24",
        "garbage_collection_threshold:0.6,roundup_power2_divisions:4"}) {
    std::mt19937_64 random(7);
    CachingAllocator allocator(*ParseSettings(text), 3000 * kMiB);
    std::vector<uint32_t> live;
    const int rounds = WholeOrPart(20000, 2000);
    for (int i = 0; i < rounds; ++i) {
      if (live.empty() || random() % 5 < 3) {
        const int64_t bytes = int64_t{1} << random() % 26;
        live.push_back(allocator.Allocate(
            static_cast<uint32_t>(random() % 3),
            1 + static_cast<int64_t>(random() % static_cast<uint64_t>(bytes))));
      } else {
        std::swap(live[random() % live.size()], live.back());
        allocator.Free(live.back());
        live.pop_back();
      }
      if (live.size() > 300)
        for (; live.size() > 100; live.pop_back()) allocator.Free(live.back());
      if (i % 97 == 0) allocator.ReleaseFree();
      ASSERT_LE(allocator.allocated(), allocator.reserved());
    }
    std::map<uint64_t, int64_t> by_address;
    int64_t sum = 0;
    for (const uint32_t block : live) {
      by_address[allocator.address(block)] = allocator.size(block);
      sum += allocator.size(block);
    }
    ASSERT_EQ(by_address.size(), live.size());
    EXPECT_EQ(sum, allocator.allocated());
    uint64_t end = 0;
    for (const auto& [address, size] : by_address) {
      ASSERT_GE(address, end);
      end = address + static_cast<uint64_t>(size);
    }
    for (const uint32_t block : live) allocator.Free(block);
    allocator.ReleaseFree();
    EXPECT_EQ(allocator.allocated(), 0);
    EXPECT_EQ(allocator.reserved(), 0) << text;
  }
}

}  // namespace
}  // namespace stepscope::memory
